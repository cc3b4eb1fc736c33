import type { Observable, Subscription } from 'rxjs'
import { encodeMessage, encodeResponse } from '../../../protocols/json-rpc/encode.ts'
import type { Id } from '../../../protocols/json-rpc/message.ts'
import type { Exchange } from '../../../model/exchange/exchange.ts'
import type { StreamedResponse } from './respond.ts'
import { errorOf } from './json-rpc-error.ts'
import { Fault } from '../../../model/exchange/fault.ts'
import { type ReplayBudget, ReplayBuffer } from './event-store.ts'
import { type FromServer, isOutcome } from '../servers/server-client.ts'
import type { ResumableTiming } from './resumable-timing.ts'

/** Resumable calls of one session, by the key in the ids of their events. */
export type ResumableCalls = Map<string, ResumableCall>

/**
 * A call whose response survives its connection: events have ids, and a client that reconnects with the last id gets
 * the rest. A response that is complete with its first message has none of that.
 *
 * A client that does not reconnect in time counts as disconnected.
 */
export class ResumableCall {
  /** The exchange that began the call. */
  readonly #x: Exchange
  readonly #id: Id
  readonly #calls: ResumableCalls
  readonly #key: string
  readonly #events: ReplayBuffer
  #response: StreamedResponse | undefined
  #run: Subscription | undefined = undefined
  #isPrimed = false
  /** More events than can be kept. */
  #isTooMuch = false
  #isOver = false
  readonly #timing: ResumableTiming
  #timer: NodeJS.Timeout | undefined = undefined
  #closeTimer: NodeJS.Timeout | undefined = undefined

  constructor(
    id: Id,
    calls: ResumableCalls,
    key: string,
    response: StreamedResponse,
    timing: ResumableTiming,
    kept: ReplayBudget,
  ) {
    this.#events = new ReplayBuffer(kept)
    this.#timing = timing
    this.#id = id
    this.#calls = calls
    this.#key = key
    this.#response = response
    this.#x = response.exchange
  }

  run(messages: Observable<FromServer>): void {
    const run = messages.subscribe({
      next: (message) => {
        this.#onMessage(message)
      },
      error: (fault: unknown) => {
        this.#onFault(fault)
      },
      complete: () => {
        // Cancelled by the client: there is no response.
        if (!this.#isOver) this.#finish()
      },
    })
    if (this.#isOver) {
      run.unsubscribe()
      return
    }
    this.#run = run
    if (!this.#response) return
    this.#scheduleClose()
    if (this.#isPrimed) return
    // A silent client may lose the connection, and needs an event id before that.
    this.#timer = setTimeout(() => {
      this.#prime(undefined)
    }, this.#timing.silentMs).unref()
  }

  /** The server will be polled later. The gateway closes its connection to the client as well. */
  readonly pause = (retryMs: number | undefined): void => {
    this.#closeConnection(retryMs ?? this.#timing.retryMs)
  }

  /** The connection was closed. */
  onDisconnect(response: StreamedResponse): void {
    if (this.#response !== response) return
    if (this.#isPrimed) this.#awaitClient()
    else this.cancel()
  }

  /** Whether all events after this number are kept. */
  keepsAfter(seen: number): boolean {
    return this.#events.hasAllAfter(seen)
  }

  /** The client reconnected, having received `seen` events. */
  resume(seen: number, response: StreamedResponse): void {
    const before = this.#response
    this.#response = response
    // Its end no longer concerns this call.
    before?.end()
    clearTimeout(this.#timer)
    let number = Math.min(seen, this.#events.count)
    // Many clients lose their position when a connection brings no event.
    response.prime(this.#eventId(number), this.#timing.retryMs)
    for (const json of this.#events.after(number)) response.send(json, undefined, this.#eventId(++number))
    if (this.#isOver) this.#finish()
    else this.#scheduleClose()
  }

  cancel(): void {
    this.#stopTimers()
    this.#isOver = true
    this.#run?.unsubscribe()
    this.#dropEvents()
    this.#x.cancel()
  }

  #onMessage(message: FromServer): void {
    if (isOutcome(message)) {
      if (this.#isPrimed) this.#send(encodeResponse(this.#id, message), true)
      else this.#response?.finish(this.#id, message, undefined)
      this.#finish()
      return
    }
    this.#prime(undefined)
    this.#send(encodeMessage(message))
  }

  #onFault(fault: unknown): void {
    if (this.#isPrimed && fault instanceof Fault)
      this.#send(encodeResponse(this.#id, { error: errorOf(fault) }), true)
    else this.#response?.fail(this.#id, fault)
    this.#finish()
  }

  #prime(retryMs: number | undefined): void {
    clearTimeout(this.#timer)
    if (this.#isPrimed || this.#isTooMuch || this.#calls.size >= CALLS_LIMIT) return
    this.#isPrimed = true
    this.#x.outlivesConnection = true
    this.#calls.set(this.#key, this)
    this.#response?.prime(this.#eventId(0), retryMs ?? this.#timing.retryMs)
  }

  /** An interval: a call that cannot be resumed now may be later, when others have ended. */
  #scheduleClose(): void {
    clearInterval(this.#closeTimer)
    const { closeAfterMs } = this.#timing
    if (closeAfterMs === undefined) return
    this.#closeTimer = setInterval(() => {
      this.#closeConnection(this.#timing.retryMs)
    }, closeAfterMs).unref()
  }

  /** Closes the connection, but keeps the call. */
  #closeConnection(retryMs: number): void {
    const response = this.#response
    if (this.#isOver || !response || this.#timing.mustStayOpen?.()) return
    if (this.#isPrimed) response.prime(this.#eventId(this.#events.count), retryMs)
    else this.#prime(retryMs)
    // Without an event id the client would lose the call.
    if (!this.#isPrimed) return
    response.end()
    this.#awaitClient()
  }

  #send(json: string, isLast = false): void {
    // A disconnected client reconnects for the outcome, however long it is.
    if (this.#isPrimed && !this.#events.add(json, isLast && !this.#response)) {
      // Too much to keep: a lost connection now loses the call.
      this.#isPrimed = false
      this.#isTooMuch = true
      this.#dropEvents()
    }
    this.#response?.send(json, undefined, this.#isPrimed ? this.#eventId(this.#events.count) : undefined)
  }

  #dropEvents(): void {
    this.#x.outlivesConnection = false
    this.#calls.delete(this.#key)
    this.#events.clear()
  }

  #finish(): void {
    this.#isOver = true
    this.#stopTimers()
    const response = this.#response
    // Whether the last events arrive is unknown.
    if (this.#isPrimed) this.#awaitClient()
    response?.end()
  }

  #awaitClient(): void {
    this.#response = undefined
    this.#stopTimers()
    this.#timer = setTimeout(() => {
      this.cancel()
    }, this.#timing.resumeWithinMs).unref()
  }

  #stopTimers(): void {
    clearTimeout(this.#timer)
    clearInterval(this.#closeTimer)
  }

  #eventId(count: number): string {
    return `${this.#key}/${count}`
  }
}

/** Concurrent calls of one session. */
const CALLS_LIMIT = 64
