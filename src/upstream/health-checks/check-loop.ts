import type { CheckProbe } from '../load-balancing/schema/normal-form.ts'
import { Endpoint } from '../load-balancing/endpoint.ts'
import type { HealthProbe } from './health-probe.ts'
import { probeGrpc } from './grpc-check.ts'
import type { CheckRun, CheckSubject, CheckVerdict } from './health-checks.ts'
import { probeHttp } from './http-check.ts'
import { probeTcp } from './tcp-check.ts'

/** The first check comes within this time, however long the interval is. */
const FIRST_WITHIN_MS = 1_000
/** Variation of an interval, as a share of it. */
const JITTER = 0.2

/**
 * Checks one endpoint repeatedly, one check at a time. It has its own connections: calls do not wait for a check, and a
 * full pool does not look like a dead endpoint.
 */
export class CheckLoop implements CheckRun {
  readonly #subject: CheckSubject
  readonly #verdict: CheckVerdict
  readonly #random: () => number
  readonly #endpoint: Endpoint
  readonly #probe: HealthProbe
  #timer: NodeJS.Timeout | undefined = undefined
  #cancel: (() => void) | undefined = undefined
  #isStopped = false
  /** The last verdict; null before the first check. */
  #lastVerdict: string | null | undefined = null
  #inARow = 0

  constructor(subject: CheckSubject, verdict: CheckVerdict, random: () => number) {
    const { address, options, check } = subject
    this.#subject = subject
    this.#verdict = verdict
    this.#random = random
    this.#probe = probeOf(check)
    this.#endpoint = new Endpoint(address, {
      ...options,
      supervision: undefined,
      connected: undefined,
      connectTimeoutMs: Math.min(check.timeoutMs, options.connectTimeoutMs),
      poolMaxSize: 1,
    })
  }

  start(): this {
    this.#wait(this.#random() * Math.min(this.#subject.check.intervalMs, FIRST_WITHIN_MS))
    return this
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    clearTimeout(this.#timer)
    this.#cancel?.()
    await this.#endpoint.destroy()
  }

  #wait(ms: number): void {
    if (this.#isStopped) return
    this.#timer = setTimeout(() => this.#check(), ms)
    this.#timer.unref()
  }

  #check(): void {
    const { intervalMs, timeoutMs } = this.#subject.check
    let isOver = false as boolean
    const finish = (wrong: string | undefined): void => {
      if (isOver || this.#isStopped) return
      isOver = true
      this.#recordResult(wrong)
      this.#wait(intervalMs * (1 + JITTER * (this.#random() - 0.5)))
    }
    try {
      // Cancelling a completed check does nothing.
      this.#cancel = this.#probe(this.#endpoint, timeoutMs, finish)
    } catch (error) {
      if (isOver) throw error
      // There is nothing to cancel. A later result of the probe, such as its time-out, is ignored.
      finish(`check: ${error instanceof Error ? error.message : String(error)}`)
    }
  }

  /** The first result counts at once; later changes need the configured number of equal results in a row. */
  #recordResult(wrong: string | undefined): void {
    const { healthyThreshold, unhealthyThreshold } = this.#subject.check
    const isFirst = this.#lastVerdict === null
    const isSame = !isFirst && (wrong === undefined) === (this.#lastVerdict === undefined)
    this.#inARow = isSame ? 0 : this.#inARow + 1
    if (isSame) return
    if (!isFirst && this.#inARow < (wrong === undefined ? healthyThreshold : unhealthyThreshold)) return
    this.#inARow = 0
    this.#lastVerdict = wrong
    this.#verdict(wrong)
  }
}

const probeOf = (probe: CheckProbe): HealthProbe => {
  if ('http' in probe) return probeHttp(probe.http)
  return 'grpc' in probe ? probeGrpc(probe.grpc) : probeTcp
}
