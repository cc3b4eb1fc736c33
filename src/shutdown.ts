import type { Readiness } from './admin/readiness.ts'
import type { AdminServers } from './admin/servers.ts'
import type { ProcessSettings } from './model/process-settings.ts'
import type { Observers } from './observers.ts'
import type { Ports } from './streams/http/ports.ts'
import type { McpWorkplace } from './upstream/mcp/workplace.ts'
import type { Registry } from './upstream/registry.ts'

/** What runs, and has to end. */
export interface Running {
  readonly settings: ProcessSettings
  readonly watchers: Observers
  readonly readiness: Readiness
  readonly ports: Ports
  readonly mcp: McpWorkplace
  readonly servers: AdminServers
  readonly registry: Registry
  readonly stopReloading: () => void
}

/** How a gateway ends. */
export interface Shutdown {
  /** Begins it, once; resolves when nothing more is accepted. What is in flight may take until the deadline. */
  quit(): Promise<void>
  /** Ends everything without waiting for anybody: of a gateway that could not start. */
  atOnce(): Promise<void>
  /** Resolves when everything that `quit` ends has ended. */
  readonly ended: Promise<void>
}

/** Ends what runs in the order in which it came to need one another: who sends, then who is asked, then who is told. */
export const shutdown = (running: Running): Shutdown => {
  const { settings, watchers, readiness, ports, mcp, servers, registry } = running
  const { terminationDeadlineMs, minTerminationDeadlineMs } = settings
  const { log, trace, destination } = watchers
  const closed = Promise.withResolvers<undefined>()
  const ended = Promise.withResolvers<undefined>()
  const drain = async () => {
    log.info('draining', { deadlineMs: terminationDeadlineMs, minMs: minTerminationDeadlineMs })
    readiness.drain()
    mcp.streams.leave()
    // Whoever balances over several gateways takes a while to notice, and goes on sending until then.
    if (minTerminationDeadlineMs > 0) await wait(minTerminationDeadlineMs)
    await close(Math.max(0, terminationDeadlineMs - minTerminationDeadlineMs))
  }
  const close = async (deadlineMs: number) => {
    running.stopReloading()
    mcp.streams.endAll()
    const drained = ports.drain(deadlineMs)
    closed.resolve(undefined)
    await drained
  }
  const letGo = async () => {
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
          .then(letGo)
          .then(() => {
            ended.resolve(undefined)
          })
      }
      return closed.promise
    },
    atOnce: async () => {
      await close(0)
      await letGo()
    },
    ended: ended.promise,
  }
}

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
