import type { Probe, TraceSource } from '../model/trace/probe.ts'
import type { Reply } from '../model/exchange/reply.ts'
import type { TraceEntry } from '../model/trace/trace-event.ts'

/**
 * A trace of every exchange that keeps its records.
 *
 * @example
 * const trace = new TraceRecorder()
 * run(cors.request, exchange({ trace, headers: { origin: 'https://a.test' } }))
 * assert.deepEqual(trace.stages, ['cors'])
 */
export class TraceRecorder implements TraceSource, Probe {
  /** Names of the stages that ran, in order. */
  readonly stages: string[] = []
  /** The verdicts of those stages. */
  readonly verdicts: (Reply | undefined)[] = []
  readonly entries: TraceEntry[] = []
  readonly snapshots: string[] = []
  readonly includesBodies = false

  probe(): Probe {
    return this
  }

  now(): number {
    return 0
  }

  recordStage(stage: string, _began: number, verdict: Reply | undefined): void {
    this.stages.push(stage)
    this.verdicts.push(verdict)
  }

  record(message: TraceEntry): void {
    this.entries.push(message)
  }

  snapshot(stage: string): void {
    this.snapshots.push(stage)
  }
}
