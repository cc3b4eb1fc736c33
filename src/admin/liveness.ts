import { replyText, type AdminEndpoint } from './endpoint.ts'
import { type ProcessReport, readReport } from './process-report.ts'

/** How long the event loop was blocked, for liveness. */
export interface LivenessReport {
  /** The longest time without a turn since the last check, in milliseconds. */
  readonly blockedMs: number
}

/** A gateway whose event loop was blocked for longer is not live. */
const LIMIT_MS = 5_000
/** How often the loop is observed. */
const TICK_MS = 500
/** Older stalls are ignored, such as that of the start before the first check. */
const EXPIRY_MS = 60_000

/**
 * Observes the event loop. While the loop is blocked, probes time out; once it turns again, the report has how long it
 * was blocked.
 *
 * @param now The clock, in milliseconds; it never goes back.
 */
export class EventLoopLiveness {
  readonly #now: () => number
  readonly #timer: NodeJS.Timeout
  #tickedAt: number
  #longestMs = 0
  #longestAt = 0

  constructor(now: () => number = () => performance.now()) {
    this.#now = now
    this.#tickedAt = now()
    this.#timer = setInterval(() => {
      this.tick()
    }, TICK_MS).unref()
  }

  /** The loop turns. Called by a timer. */
  tick(): void {
    const now = this.#now()
    const blockedMs = Math.max(0, now - this.#tickedAt - TICK_MS)
    this.#tickedAt = now
    if (blockedMs < this.#longestMs && now - this.#longestAt < EXPIRY_MS) return
    this.#longestMs = blockedMs
    this.#longestAt = now
  }

  /** The longest stall since the last call, in milliseconds, if it was in the last minute. */
  take(): number {
    // After a stall, a probe may be read before the timer runs.
    this.tick()
    const longestMs = this.#longestMs
    this.#longestMs = 0
    return longestMs
  }

  /** Stops observing. */
  close(): void {
    clearInterval(this.#timer)
  }
}

/**
 * The liveness of each process; the worst decides. A process whose loop is blocked does not report: a collector of
 * several processes must count one that has not reported within the limit as blocked for so long.
 */
export const livenessReport = (liveness: EventLoopLiveness): ProcessReport<LivenessReport> => ({
  name: 'liveness',
  collect: () => ({ blockedMs: liveness.take() }),
  merge: (reports) => ({ blockedMs: Math.max(0, ...reports.map(({ blockedMs }) => blockedMs)) }),
})

/** `GET /healthz/live`: 200 while the event loop turns; 500 once after it has been blocked for more than 5 seconds. */
export const livenessEndpoint = (report: ProcessReport<LivenessReport>): AdminEndpoint => ({
  path: '/healthz/live',
  methods: ['GET'],
  summary: 'whether the event loop turns',
  parameters: 'ignored',
  handle: async ({ res }) => {
    const { blockedMs } = await readReport(report)
    if (blockedMs <= LIMIT_MS) replyText(res, 200, 'live\n')
    else replyText(res, 500, `not live: the event loop was blocked for ${Math.round(blockedMs)} ms\n`)
  },
})
