import { type AdminServers, adminServers } from './admin/server/admin-servers.ts'
import { EventLoopLiveness, livenessEndpoint, livenessReport } from './admin/liveness.ts'
import { readinessEndpoint } from './admin/readiness.ts'
import { metricsReport } from './admin/reports/metrics-report.ts'
import { statsEndpoints } from './admin/stats.ts'
import { adminFailed } from './apply-snapshot.ts'
import { StartFailure } from './model/resources/start-failure.ts'
import type { Runtime } from './runtime.ts'
import { type Shutdown, shutdown } from './shutdown.ts'
import { gatewayAddresses, type ListeningAddress } from './startup-message.ts'
import type { PortFailure } from './streams/http/port/ports.ts'
import { refuseUpstreamsAt } from './upstream/connect/own-servers.ts'

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
  let required = settings.adminTokens
  const liveness = new EventLoopLiveness()
  const opened = await adminServers(settings, {
    admin: runtime.admin,
    stats: statsEndpoints(metricsReport(telemetry.metrics)),
    readiness: [readinessEndpoint(readiness), livenessEndpoint(livenessReport(liveness))],
    // A reload replaces tokens, and never ends the need for one.
    tokens: () => {
      const { adminTokens } = runtime.inForce.process
      if (adminTokens.length > 0) required = adminTokens
      return required
    },
    onError: adminFailed(runtime),
    log: telemetry.logs.admin,
  }).catch((error: unknown) => {
    liveness.close()
    throw error
  })
  // The owner of a file may lead to the admin server; whoever may write backends of a cluster must not.
  const own = settings.xds ? opened.addresses.filter(({ name }) => name === 'admin') : []
  const allowAgain = refuseUpstreamsAt(own.map(({ address }) => address))
  const servers: AdminServers = {
    ...opened,
    close: () => {
      allowAgain()
      liveness.close()
      return opened.close()
    },
  }
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

const addressesOf = (
  { inForce, ports, settings }: Runtime,
  servers: AdminServers,
): readonly ListeningAddress[] => [
  ...gatewayAddresses(inForce.resources, ports.addresses()),
  ...servers.addresses.map(({ name, address }) => ({
    name,
    url: `${name === 'admin' && settings.adminTls ? 'https' : 'http'}://${address}`,
  })),
]
