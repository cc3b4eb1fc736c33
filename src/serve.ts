import { type AdminServers, adminServers } from './admin/admin-servers.ts'
import { readinessEndpoint } from './admin/readiness.ts'
import { statsEndpoints } from './admin/stats.ts'
import { adminFailed } from './apply-snapshot.ts'
import { StartFailure } from './model/resources/start-failure.ts'
import type { Runtime } from './runtime.ts'
import { type Shutdown, shutdown } from './shutdown.ts'
import { gatewayAddresses, type ListeningAddress } from './startup-message.ts'
import type { PortFailure } from './streams/http/port/ports.ts'

/** A running gateway. */
export interface Serving extends Shutdown {
  /** Current listening addresses: gateways by name, then the admin servers. */
  addresses(): readonly ListeningAddress[]
}

/**
 * Opens the admin servers, then the ports. If something cannot be opened, all is closed again.
 *
 * @param openFirst Applies the first configuration; resolves with the binds that could not be opened.
 * @param stopReloading Called when the shutdown begins to close ports.
 * @throws StartFailure, naming the address, for a port that cannot be opened; what `openFirst` throws.
 */
export const serve = async (
  runtime: Runtime,
  openFirst: () => Promise<readonly PortFailure[]>,
  stopReloading: () => void,
): Promise<Serving> => {
  const { settings, readiness, telemetry } = runtime
  const listening = readiness.pending('listeners')
  const servers = await adminServers(settings, {
    admin: runtime.admin,
    stats: statsEndpoints(() => telemetry.metrics.text()),
    readiness: [readinessEndpoint(readiness)],
    onError: adminFailed(runtime),
  })
  const end = shutdown(runtime, servers, stopReloading)
  runtime.quit = () => end.quit()
  try {
    const [failure] = await openFirst()
    if (failure) throw new StartFailure(failure.message)
  } catch (error) {
    await end.atOnce()
    throw error
  }
  listening()
  return { ...end, addresses: () => addressesOf(runtime, servers) }
}

const addressesOf = ({ inForce, ports }: Runtime, servers: AdminServers): readonly ListeningAddress[] => [
  ...gatewayAddresses(inForce.resources, ports.addresses()),
  ...servers.addresses.map(({ name, address }) => ({ name, url: `http://${address}` })),
]
