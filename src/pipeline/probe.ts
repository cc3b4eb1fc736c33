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
 * The probe of one watched exchange. What it is told it only keeps; JSON is made later, off the request's stack and for
 * all watchers at once.
 */
export class ExchangeProbe implements Probe {
  readonly wantsBodies: boolean
  /** Who sees this exchange, from its first event to its last. */
  readonly audience: readonly Watcher[]
  readonly #x: Exchange
  readonly #redaction: Redaction
  readonly #touched: (probe: ExchangeProbe) => void
  #records: ProbeRecord[] = []
  #request: RequestPortrait | undefined = undefined
  #reply: ReplyPortrait | undefined = undefined
  #ended = false
  #expressions = 0

  /** @param touched Called when there is something to take again. */
  constructor(
    x: Exchange,
    audience: readonly Watcher[],
    redaction: Redaction,
    touched: (probe: ExchangeProbe) => void,
  ) {
    this.audience = audience
    this.wantsBodies = audience.some((watcher) => watcher.bodies)
    this.#x = x
    this.#redaction = redaction
    this.#touched = touched
    this.note(requestStarted)
    this.snapshot('initial request')
  }

  /** Nothing more will be recorded. */
  get ended(): boolean {
    return this.#ended
  }

  now(): number {
    return Math.round((performance.now() - this.#x.request.startedAt) * 1000)
  }

  record(stage: string, began: number, verdict: Reply | undefined): void {
    const at = this.now()
    const kind = stage.replaceAll('-', '_')
    const facts = { tookUs: at - began, status: verdict?.status ?? null, code: verdict?.code ?? null }
    // What a stage said of itself and that it ran are one event.
    const said = this.#records.findLast(({ message }) => message?.type === 'policy')
    if (said?.message?.type === 'policy' && said.at >= began && said.began === undefined) {
      said.message = { ...said.message, ...facts }
      said.began = began
      said.at = at
      return
    }
    const details = verdict ? `answered ${verdict.status}` : 'passed'
    this.#add(
      recordOf(
        { type: 'policy', kind, result: { type: 'apply', details, snapshot: null }, ...facts },
        at,
        began,
      ),
    )
  }

  note(message: TraceEntry, began?: number): void {
    if (message.type === 'cel') this.#noteExpression(message, began)
    else this.#add(recordOf(message, this.now(), began))
  }

  snapshot(stage: string): void {
    this.#add({ began: undefined, at: this.now(), message: undefined, snapshot: this.#portrait(stage) })
  }

  /** The exchange is over: says how it went. Only the first call counts. */
  finish(): void {
    if (this.#ended) return
    const { reply, downstream } = this.#x
    const error = downstream.truncatedBy ?? reply?.error
    this.note({
      type: 'requestFinished',
      status: reply?.status ?? null,
      error: error === undefined ? null : redactText(error),
      code: reply?.code ?? null,
    })
    this.#ended = true
  }

  /** What was recorded since the last time. */
  take(): TraceBatch {
    const records = this.#records
    this.#records = []
    return new TraceBatch(this.#x, records, this.#redaction)
  }

  /** A thousand rules would bury everything else, each with the state it was evaluated in. */
  #noteExpression(message: TraceEntry, began: number | undefined): void {
    this.#expressions++
    if (this.#expressions <= shownExpressions)
      this.#add({ began, at: this.now(), message, snapshot: this.#portrait('') })
    else if (this.#expressions === shownExpressions + 1) this.note(moreExpressions)
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
    // What an upstream still says of an exchange that is over has no place in its trace.
    if (this.#ended) return
    if (this.#records.push(record) === 1) this.#touched(this)
  }
}

/** Evaluations of expressions that the trace of an exchange shows. */
const shownExpressions = 64
const moreExpressions: TraceEntry = {
  type: 'policyEvent',
  kind: 'cel',
  details: `${shownExpressions} evaluations were shown, further ones are not`,
}
const requestStarted: TraceEntry = { type: 'requestStarted' }
