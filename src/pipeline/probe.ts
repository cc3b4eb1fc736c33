import type { Exchange } from '../model/exchange/exchange.ts'
import type { Probe } from '../model/trace/probe.ts'
import { type Redaction, redactText } from '../model/trace/redact.ts'
import type { Reply } from '../model/exchange/reply.ts'
import type { TraceEntry } from '../model/trace/trace-event.ts'
import { ReplyPortrait, RequestPortrait } from './probe-state.ts'
import { TraceBatch } from './trace-batch.ts'
import type { Watcher } from './trace-subscriber.ts'
import { type ExchangePortrait, portraitOf, type ProbeRecord, recordOf } from './probe-record.ts'

/**
 * The probe of one traced exchange. It only stores its records; JSON is made later, off the request's stack and once
 * for all subscribers.
 */
export class ExchangeProbe implements Probe {
  readonly includesBodies: boolean
  /** The subscribers that see this exchange, from its first event to its last. */
  readonly audience: readonly Watcher[]
  readonly #x: Exchange
  readonly #redaction: Redaction
  readonly #touched: (probe: ExchangeProbe) => void
  #records: ProbeRecord[] = []
  #request: RequestPortrait | undefined = undefined
  #reply: ReplyPortrait | undefined = undefined
  #ended = false
  #expressions = 0

  /** @param touched Called when a record is available after the last `take`. */
  constructor(
    x: Exchange,
    audience: readonly Watcher[],
    redaction: Redaction,
    touched: (probe: ExchangeProbe) => void,
  ) {
    this.audience = audience
    this.includesBodies = audience.some((watcher) => watcher.bodies)
    this.#x = x
    this.#redaction = redaction
    this.#touched = touched
    this.record(requestStarted)
    this.snapshot('initial request')
  }

  /** Whether recording has ended. */
  get ended(): boolean {
    return this.#ended
  }

  now(): number {
    return Math.round((performance.now() - this.#x.request.startedAt) * 1000)
  }

  recordStage(stage: string, began: number, verdict: Reply | undefined): void {
    const at = this.now()
    const kind = stage.replaceAll('-', '_')
    const outcome = { tookUs: at - began, status: verdict?.status ?? null, code: verdict?.code ?? null }
    // The policy event of a stage and the record of its run become one event.
    const policyRecord = this.#records.findLast(({ message }) => message?.type === 'policy')
    if (
      policyRecord?.message?.type === 'policy' &&
      policyRecord.at >= began &&
      policyRecord.began === undefined
    ) {
      policyRecord.message = { ...policyRecord.message, ...outcome }
      policyRecord.began = began
      policyRecord.at = at
      return
    }
    const details = verdict ? `answered ${verdict.status}` : 'passed'
    this.#add(
      recordOf(
        { type: 'policy', kind, result: { type: 'apply', details, snapshot: null }, ...outcome },
        at,
        began,
      ),
    )
  }

  record(message: TraceEntry, began?: number): void {
    if (message.type === 'cel') this.#recordExpression(message, began)
    else this.#add(recordOf(message, this.now(), began))
  }

  snapshot(stage: string): void {
    this.#add({ began: undefined, at: this.now(), message: undefined, snapshot: this.#portrait(stage) })
  }

  /** Records the end of the exchange. Only the first call counts. */
  finish(): void {
    if (this.#ended) return
    const { reply, downstream } = this.#x
    const error = downstream.truncatedBy ?? reply?.error
    this.record({
      type: 'requestFinished',
      status: reply?.status ?? null,
      error: error === undefined ? null : redactText(error),
      code: reply?.code ?? null,
    })
    this.#ended = true
  }

  /** The records since the last call. */
  take(): TraceBatch {
    const records = this.#records
    this.#records = []
    return new TraceBatch(this.#x, records, this.#redaction)
  }

  /** Limited: a thousand rules would bury everything else, each with the state it was evaluated in. */
  #recordExpression(message: TraceEntry, began: number | undefined): void {
    this.#expressions++
    if (this.#expressions <= shownExpressions)
      this.#add({ began, at: this.now(), message, snapshot: this.#portrait('') })
    else if (this.#expressions === shownExpressions + 1) this.record(moreExpressions)
  }

  #portrait(stage: string): ExchangePortrait {
    const x = this.#x
    const { reply } = x
    if (!this.#request?.holds(x)) this.#request = new RequestPortrait(x)
    if (reply && !this.#reply?.holds(reply.status, reply.headers.raw))
      this.#reply = new ReplyPortrait(reply.status, reply.headers.raw)
    return portraitOf(stage, x, this.#request, reply && this.#reply)
  }

  #add(record: ProbeRecord): void {
    // Late events of an upstream do not belong to the trace of an ended exchange.
    if (this.#ended) return
    if (this.#records.push(record) === 1) this.#touched(this)
  }
}

/** Maximum number of expression evaluations in the trace of an exchange. */
const shownExpressions = 64
const moreExpressions: TraceEntry = {
  type: 'policyEvent',
  kind: 'cel',
  details: `${shownExpressions} evaluations were shown, further ones are not`,
}
const requestStarted: TraceEntry = { type: 'requestStarted' }
