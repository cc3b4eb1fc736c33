import type { Subscriber, Subscription } from 'rxjs'
import type { Id, JsonObject, Outcome, Request } from '../../../../protocols/json-rpc/message.ts'
import { RESOURCE_NOT_FOUND } from '../../../../protocols/mcp/errors.ts'
import { inputRequired, type InputRequest } from '../../../../protocols/mcp/input-required.ts'
import { INVALID_PARAMS } from '../../../../protocols/json-rpc/error-codes.ts'
import type { Behalf, Call } from '../../../../upstream/mcp/wire.ts'
import type { Lease } from './leases.ts'
import { type FromServer, isOutcome } from '../servers/peer.ts'
import { Undeclared } from './undeclared.ts'

/** What a held call is made of. */
export interface HeldCallOptions {
  readonly lease: Lease
  readonly behalf: Behalf
  /** What the client can be asked for. */
  readonly capabilities: JsonObject
  /** Whether the client wants log lines. */
  readonly wantsLog: boolean
  /** Made when the client has to come again: what it must bring. */
  readonly state: () => string
}

/**
 * A call to a server that asks its client by requests of its own, for a client that is asked by results: the first
 * question ends the client's request, the call waits, and the client's next request goes on with it.
 */
export class HeldCall {
  readonly #options: HeldCallOptions
  readonly #run: Subscription
  readonly #undeclared: Undeclared
  readonly #asked = new Map<string, { readonly id: Id; readonly input: InputRequest }>()
  /** What came while nobody was there to hear it. */
  readonly #missed: FromServer[] = []
  #missedBytes = 0
  #out: Subscriber<FromServer> | undefined
  #fault: unknown = undefined
  #lastKey = 0
  #isOver = false
  #willSuspend = false

  constructor(call: Call, out: Subscriber<FromServer>, options: HeldCallOptions) {
    this.#options = options
    this.#out = out
    this.#undeclared = new Undeclared(options.capabilities)
    this.#run = options.lease.peer.call(call, options.behalf).subscribe({
      next: (message) => {
        this.#hear(message)
      },
      error: (fault: unknown) => {
        this.#fault = fault
        this.#finish(true)
        this.#out?.error(fault)
      },
    })
    if (this.#isOver) this.#run.unsubscribe()
  }

  /** The client came again with answers; whatever is still missing is asked for again. */
  resume(answers: ReadonlyMap<string, JsonObject>, out: Subscriber<FromServer>): void {
    this.#out = out
    for (const [key, { id }] of this.#asked) {
      const answer = answers.get(key)
      if (!answer) continue
      this.#asked.delete(key)
      this.#options.lease.peer
        .answer(id, { result: answer }, this.#options.behalf)
        .catch((fault: unknown) => {
          this.#out?.error(fault)
        })
    }
    if (this.#fault !== undefined) {
      out.error(this.#fault)
      return
    }
    for (const message of this.#missed.splice(0)) this.#pass(message)
    if (this.#asked.size > 0 && !this.#isOver) this.#suspend()
  }

  /** The client has left without being asked to come again: nobody needs the call any more. */
  abandon(out: Subscriber<FromServer>): void {
    if (this.#out === out) this.cancel()
  }

  cancel(): void {
    if (this.#isOver) return
    this.#run.unsubscribe()
    this.#finish(true)
  }

  #hear(message: FromServer): void {
    if (!isOutcome(message) && 'id' in message) {
      this.#question(message)
      return
    }
    if (!isOutcome(message) && message.method === 'notifications/cancelled') {
      this.#giveUp(message.params?.requestId)
      return
    }
    if (!isOutcome(message)) {
      if (this.#out) this.#pass(message)
      else if (this.#hasRoomFor(message)) this.#missed.push(message)
      return
    }
    this.#finish(false)
    const outcome = this.#undeclared.outcomeOf(message)
    if (this.#out) this.#pass(outcome)
    else this.#missed.push(outcome)
  }

  #hasRoomFor(message: FromServer): boolean {
    if (this.#missed.length >= MISSED_LIMIT) return false
    this.#missedBytes += JSON.stringify(message).length
    return this.#missedBytes <= MISSED_LIMIT_BYTES
  }

  #pass(message: FromServer): void {
    const out = this.#out
    if (!out) return
    if (!isOutcome(message)) {
      if (belongs(message.method, this.#options.wantsLog)) out.next(message)
      return
    }
    this.#out = undefined
    out.next(complete(message))
    out.complete()
  }

  #question({ id, method, params }: Request): void {
    const { lease, behalf } = this.#options
    const error = this.#undeclared.refusalOf({ method, params })
    if (error) {
      lease.peer.answer(id, { error }, behalf).catch(() => undefined)
      return
    }
    this.#asked.set(`${method.split('/')[0] ?? ''}-${++this.#lastKey}`, { id, input: { method, params } })
    if (this.#willSuspend) return
    this.#willSuspend = true
    // What a server asks in one breath the client hears in one answer.
    setImmediate(() => {
      this.#willSuspend = false
      this.#suspend()
    })
  }

  /** The server no longer waits for an answer. A client that was asked already may still give one, to nobody. */
  #giveUp(id: unknown): void {
    for (const [key, asked] of this.#asked) if (asked.id === id) this.#asked.delete(key)
  }

  /** Ends the client's request with what it is asked for. */
  #suspend(): void {
    const out = this.#out
    if (!out || this.#isOver || this.#asked.size === 0) return
    this.#out = undefined
    let state: string
    try {
      state = this.#options.state()
    } catch (fault) {
      // There may be no room for it to wait in.
      out.error(fault)
      return
    }
    const inputs = Object.fromEntries(Array.from(this.#asked, ([key, { input }]) => [key, input]))
    out.next({ result: inputRequired(inputs, state) })
    out.complete()
  }

  #finish(spoiled: boolean): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#options.lease.release(spoiled)
  }
}

const MISSED_LIMIT = 100
const MISSED_LIMIT_BYTES = 262_144

/** What a server with sessions tells everybody, it tells during calls too; here only what is about the call may be said. */
const belongs = (method: string, wantsLog: boolean): boolean =>
  method === 'notifications/message' ? wantsLog : !/\/list_changed$|^notifications\/resources\//.test(method)

const complete = (outcome: Outcome): Outcome => {
  if ('error' in outcome) {
    const { error } = outcome
    return error.code === RESOURCE_NOT_FOUND ? { error: { ...error, code: INVALID_PARAMS } } : outcome
  }
  return outcome.result.resultType === undefined
    ? { result: { resultType: 'complete', ...outcome.result } }
    : outcome
}
