import type { AdminServers } from './admin/server/admin-servers.ts'
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
  const { log, trace, destination, otlp } = telemetry
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
    runtime.ending.abort()
    const drained = ports.drain(deadlineMs)
    await ports.closed()
    closed.resolve(undefined)
    await drained
  }
  const release = async (exportMs: number) => {
    trace.close()
    // Before the upstreams, which carry the exports.
    await otlp.close(exportMs)
    await Promise.all([servers.close(), registry.close()]).then(() => mcp.children.none())
    log.info('ended')
    destination.flushSync()
  }
  let isBegun = false
  return {
    quit: () => {
      if (!isBegun) {
        isBegun = true
        const startedAt = performance.now()
        void drain()
          .then(() =>
            release(Math.max(leastExportMs, terminationDeadlineMs - (performance.now() - startedAt))),
          )
          .then(() => {
            ended.resolve(undefined)
          })
      }
      return closed.promise
    },
    atOnce: async () => {
      await close(0)
      await release(0)
    },
    ended: ended.promise,
  }
}

/** Exports get this time even if draining took until the deadline. */
const leastExportMs = 1_000

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
