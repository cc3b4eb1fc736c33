import type { AdminServers } from './admin/admin-servers.ts'
import type { Runtime } from './runtime.ts'

/** Ends a gateway. */
export interface Shutdown {
  /**
   * Begins the shutdown, once; resolves when nothing more is accepted. Exchanges in flight may take until the deadline.
   */
  quit(): Promise<void>
  /** Ends everything without draining: for a gateway that failed to start. */
  atOnce(): Promise<void>
  /** Resolves when the shutdown is complete. */
  readonly ended: Promise<void>
}

/** Ends the parts of a gateway in order of dependency: the ports, then the upstreams, then the telemetry. */
export const shutdown = (runtime: Runtime, servers: AdminServers, stopReloading: () => void): Shutdown => {
  const { settings, telemetry, readiness, ports, mcp, registry } = runtime
  const { terminationDeadlineMs, minTerminationDeadlineMs } = settings
  const { log, trace, destination } = telemetry
  const closed = Promise.withResolvers<undefined>()
  const ended = Promise.withResolvers<undefined>()
  const drain = async () => {
    log.info('draining', { deadlineMs: terminationDeadlineMs, minMs: minTerminationDeadlineMs })
    readiness.drain()
    mcp.streams.beginShutdown()
    // A load balancer keeps sending traffic until its health check fails.
    if (minTerminationDeadlineMs > 0) await wait(minTerminationDeadlineMs)
    await close(Math.max(0, terminationDeadlineMs - minTerminationDeadlineMs))
  }
  const close = async (deadlineMs: number) => {
    stopReloading()
    mcp.streams.endAll()
    runtime.traces.shutDown()
    const drained = ports.drain(deadlineMs)
    await ports.closed()
    closed.resolve(undefined)
    await drained
  }
  const release = async () => {
    trace.close()
    await Promise.all([servers.close(), registry.close()]).then(() => mcp.children.none())
    log.info('ended')
    destination.flushSync()
  }
  let isBegun = false
  return {
    quit: () => {
      if (!isBegun) {
        isBegun = true
        void drain()
          .then(release)
          .then(() => {
            ended.resolve(undefined)
          })
      }
      return closed.promise
    },
    atOnce: async () => {
      await close(0)
      await release()
    },
    ended: ended.promise,
  }
}

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
