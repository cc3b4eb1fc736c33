import type { SecretText } from '../../model/policies/secret-text.ts'
import type { ModuleLog } from '../../model/log/module-log.ts'
import { cannotListen, StartFailure } from '../../model/resources/start-failure.ts'
import type { ProcessSettings, ServerAddress } from '../../model/resources/process-settings.ts'
import type { AdminEndpoint } from '../endpoint.ts'
import type { ListeningServer } from './listen.ts'
import { serveEndpoints } from './endpoint-server.ts'
import { hostPortOrUnixText } from '../../protocols/ip/host-port.ts'

/** The running admin servers. */
export interface AdminServers {
  /** Addresses of the servers `admin`, `stats` and `readiness`. */
  readonly addresses: readonly { readonly name: string; readonly address: string }[]
  close(): Promise<void>
}

/** The endpoints of each server. */
export interface AdminTables {
  readonly admin: readonly AdminEndpoint[]
  readonly stats: readonly AdminEndpoint[]
  readonly readiness: readonly AdminEndpoint[]
  /** The bearer tokens of the admin server; read for each request. */
  readonly tokens: () => readonly SecretText[]
  readonly onError: (error: unknown, path: string) => void
  /** Gets every request. */
  readonly log?: ModuleLog
}

/**
 * Opens the servers that are not off. Only the admin server checks the origin and the credentials of requests: metrics and readiness are
 * read by other machines, and change nothing.
 *
 * @throws StartFailure if an address cannot be listened on; those opened before are closed again.
 */
export const adminServers = async (settings: ProcessSettings, tables: AdminTables): Promise<AdminServers> => {
  const { onError, log, tokens } = tables
  const { adminTls } = settings
  const addresses = [
    {
      name: 'admin',
      address: settings.adminAddr,
      endpoints: tables.admin,
      hosts: settings.adminHosts,
      callers: { tokens, certificateNames: adminTls?.allowedNames },
      tls: adminTls,
    },
    { name: 'stats', address: settings.statsAddr, endpoints: tables.stats, hosts: undefined },
    {
      name: 'readiness',
      address: settings.readinessAddr,
      endpoints: tables.readiness,
      hosts: undefined,
      // Load balancers that send the header with traffic also send it with health checks.
      acceptsProxyHeader: true,
    },
  ]
  const open: { name: string; listening: ListeningServer }[] = []
  const close = async () => {
    await Promise.all(open.map(({ listening }) => listening.close()))
  }
  try {
    for (const { name, ...server } of addresses) {
      const cannot = (error: unknown): never => {
        const message = cannotListen(name, written(server.address), error)
        throw new StartFailure(
          `${message}; config.${name}Addr and ${name.toUpperCase()}_ADDR choose another address`,
          {
            cause: error,
          },
        )
      }
      open.push({ name, listening: await serveEndpoints({ name, ...server, onError, log }).catch(cannot) })
    }
  } catch (error) {
    await close()
    throw error
  }
  return {
    addresses: open.flatMap(({ name, listening }) =>
      listening.addresses.map((address) => ({ name, address })),
    ),
    close,
  }
}

const written = (address: ServerAddress): string =>
  address === 'off' ? address : hostPortOrUnixText(address)
