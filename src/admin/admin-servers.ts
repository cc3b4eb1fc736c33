import { cannotListen } from '../model/cannot-listen.ts'
import type { ProcessSettings, ServerAddress } from '../model/process-settings.ts'
import { StartFailure } from '../model/start-failure.ts'
import type { Endpoint } from './endpoint.ts'
import { indexPage } from './handlers/index-page.ts'
import type { Listening } from './listen.ts'
import { serveEndpoints } from './server.ts'

/** The servers of the process itself, by name. */
export interface AdminServers {
  /** Where each listens: `admin`, `stats`, `readiness`. */
  readonly addresses: readonly { readonly name: string; readonly address: string }[]
  close(): Promise<void>
}

/** What they serve. */
export interface AdminTables {
  readonly version: string
  readonly admin: readonly Endpoint[]
  readonly stats: readonly Endpoint[]
  readonly readiness: readonly Endpoint[]
  readonly onError: (error: unknown, path: string) => void
}

/**
 * Opens the servers that are not off. Only the admin server checks who asks: metrics and readiness are for other
 * machines to read, and say nothing that could be changed.
 *
 * @throws StartFailure if an address cannot be listened on; those opened before are closed again.
 */
export const adminServers = async (settings: ProcessSettings, tables: AdminTables): Promise<AdminServers> => {
  const { onError } = tables
  const endpoints = [indexPage(tables.version, tables.admin), ...tables.admin]
  const wanted = [
    { name: 'admin', address: settings.adminAddr, endpoints, hosts: settings.adminHosts },
    { name: 'stats', address: settings.statsAddr, endpoints: tables.stats, hosts: undefined },
    {
      name: 'readiness',
      address: settings.readinessAddr,
      endpoints: tables.readiness,
      hosts: undefined,
      // Load balancers that send the header with traffic send it with their checks as well.
      acceptsProxyHeader: true,
    },
  ]
  const open: { name: string; listening: Listening }[] = []
  const close = async () => {
    await Promise.all(open.map(({ listening }) => listening.close()))
  }
  try {
    for (const { name, ...server } of wanted) {
      const cannot = (error: unknown): never => {
        throw new StartFailure(cannotListen(name, written(server.address), error), { cause: error })
      }
      open.push({ name, listening: await serveEndpoints({ ...server, onError }).catch(cannot) })
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

const written = (address: ServerAddress): string => {
  if (address === 'off') return address
  if ('unix' in address) return `unix:${address.unix}`
  return `${address.host.includes(':') ? `[${address.host}]` : address.host}:${address.port}`
}
