import type { LogModule } from '../../model/log/log-modules.ts'
import type { ModuleLogs } from '../../model/log/module-log.ts'
import type { Trace } from '../../pipeline/trace.ts'
import type { TraceBatch } from '../../pipeline/trace-batch.ts'
import { messageOfEvent } from './event-messages.ts'
import type { LogLevelControl } from './level-control.ts'

/** Modules whose messages about requests come from the trace. */
const modules: readonly LogModule[] = ['http', 'upstream', 'cel', 'auth', 'mcp', 'llm', 'guard']

/**
 * Logs what happens to requests. It subscribes to the trace while one of the modules logs at `debug` or `trace`, and
 * so costs requests nothing otherwise: stages record no more than for a subscriber of the trace, credentials are
 * redacted in the same way, and lines are written off the stack of the request, some milliseconds late.
 */
export class ExchangeLog {
  readonly #trace: Trace
  readonly #logs: ModuleLogs
  #stop: (() => void) | undefined = undefined

  constructor(trace: Trace, logs: ModuleLogs, levels: LogLevelControl) {
    this.#trace = trace
    this.#logs = logs
    this.#follow()
    levels.onChange(() => {
      this.#follow()
    })
  }

  /** Whether it subscribes to the trace. */
  get isWatching(): boolean {
    return this.#stop !== undefined
  }

  #follow(): void {
    const isWanted = modules.some((name) => this.#logs[name].debug)
    if (isWanted === this.isWatching) return
    this.#stop?.()
    this.#stop = isWanted
      ? this.#trace.watch({
          count: Infinity,
          receive: (batches) => {
            for (const batch of batches) this.#write(batch)
          },
        })
      : undefined
  }

  #write(batch: TraceBatch): void {
    for (const event of batch.events(false)) {
      const found = messageOfEvent(event)
      if (!found) continue
      const { module, level, message, fields } = found
      this.#logs[module][level]?.(message, { requestId: event.requestId, atUs: event.eventEnd, ...fields })
    }
  }
}
