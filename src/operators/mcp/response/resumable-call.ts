import type { Observable, Subscription } from 'rxjs'
import { encodeMessage, encodeResponse } from '../../../../protocols/json-rpc/encode.ts'
import type { Id } from '../../../../protocols/json-rpc/message.ts'
import type { Exchange } from '../../../../model/exchange.ts'
import type { StreamedAnswer } from './answer.ts'
import { errorOf } from './fault-answer.ts'
import { Fault } from '../../../../model/fault.ts'
import type { KeptBytes } from './kept-bytes.ts'
import { KeptEvents } from './kept-events.ts'
import { type FromServer, isOutcome } from '../servers/peer.ts'
import type { ResumableTimes } from './resumable-times.ts'

/** Calls of one session whose streams can be taken up again, by the key in the ids of their events. */
export type ResumableCalls = Map<string, ResumableCall>

/**
 * A call whose answer survives the connection it was asked on: events have ids, and who comes back with the last one it
 * saw hears the rest. An answer that is whole with its first message has none of that.
 *
 * Who does not come back in time has left.
 */
export class ResumableCall {
  /** The one that it began with. */
  readonly #x: Exchange
  readonly #id: Id
  readonly #calls: ResumableCalls
  readonly #key: string
  readonly #events: KeptEvents
  #answer: StreamedAnswer | undefined
  #run: Subscription | undefined = undefined
  #isPrimed = false
  /** More was said than is kept. */
  #isTooMuch = false
  #isOver = false
  readonly #times: ResumableTimes
  #timer: NodeJS.Timeout | undefined = undefined
  #hangUpTimer: NodeJS.Timeout | undefined = undefined

  constructor(
    id: Id,
    calls: ResumableCalls,
    key: string,
    answer: StreamedAnswer,
    times: ResumableTimes,
    kept: KeptBytes,
  ) {
    this.#events = new KeptEvents(kept)
    this.#times = times
    this.#id = id
    this.#calls = calls
    this.#key = key
    this.#answer = answer
    this.#x = answer.exchange
  }

  run(messages: Observable<FromServer>): void {
    const run = messages.subscribe({
      next: (message) => {
        this.#hear(message)
      },
      error: (fault: unknown) => {
        this.#broke(fault)
      },
      complete: () => {
        // Cancelled by the client: there will be no answer.
        if (!this.#isOver) this.#finish()
      },
    })
    if (this.#isOver) {
      run.unsubscribe()
      return
    }
    this.#run = run
    if (!this.#answer) return
    this.#hangUpLater()
    if (this.#isPrimed) return
    // Who is kept waiting may lose the connection meanwhile, and should know by then how to come back.
    this.#timer = setTimeout(() => {
      this.#prime(undefined)
    }, this.#times.silentMs).unref()
  }

  /** The server wants to be asked later. So does the gateway, then: nobody has to wait on a connection. */
  readonly pause = (retryMs: number | undefined): void => {
    this.#hangUp(retryMs ?? this.#times.retryMs)
  }

  /** The connection is gone. */
  leave(answer: StreamedAnswer): void {
    if (this.#answer !== answer) return
    if (this.#isPrimed) this.#wait()
    else this.cancel()
  }

  /** Whether everything after so many events is still there. */
  keepsAfter(seen: number): boolean {
    return this.#events.hasAllAfter(seen)
  }

  /** The client is back, and has seen so many events. */
  resume(seen: number, answer: StreamedAnswer): void {
    const before = this.#answer
    this.#answer = answer
    // Its end is no news of this call any more.
    before?.end()
    clearTimeout(this.#timer)
    let number = Math.min(seen, this.#events.count)
    // Many clients forget where they were when a connection brings them nothing.
    answer.prime(this.#eventId(number), this.#times.retryMs)
    for (const json of this.#events.after(number)) answer.say(json, undefined, this.#eventId(++number))
    if (this.#isOver) this.#finish()
    else this.#hangUpLater()
  }

  cancel(): void {
    this.#stopTimers()
    this.#isOver = true
    this.#run?.unsubscribe()
    this.#forgetEvents()
    this.#x.cancel()
  }

  #hear(message: FromServer): void {
    if (isOutcome(message)) {
      if (this.#isPrimed) this.#say(encodeResponse(this.#id, message), true)
      else this.#answer?.last(this.#id, message, undefined)
      this.#finish()
      return
    }
    this.#prime(undefined)
    this.#say(encodeMessage(message))
  }

  #broke(fault: unknown): void {
    if (this.#isPrimed && fault instanceof Fault)
      this.#say(encodeResponse(this.#id, { error: errorOf(fault) }), true)
    else this.#answer?.broke(this.#id, fault)
    this.#finish()
  }

  #prime(retryMs: number | undefined): void {
    clearTimeout(this.#timer)
    if (this.#isPrimed || this.#isTooMuch || this.#calls.size >= CALLS_LIMIT) return
    this.#isPrimed = true
    this.#x.outlivesConnection = true
    this.#calls.set(this.#key, this)
    this.#answer?.prime(this.#eventId(0), retryMs ?? this.#times.retryMs)
  }

  /** Not once: what cannot be taken up again now may be later, when others have ended. */
  #hangUpLater(): void {
    clearInterval(this.#hangUpTimer)
    const { hangUpMs } = this.#times
    if (hangUpMs === undefined) return
    this.#hangUpTimer = setInterval(() => {
      this.#hangUp(this.#times.retryMs)
    }, hangUpMs).unref()
  }

  /** Ends the connection, but not the call. */
  #hangUp(retryMs: number): void {
    const answer = this.#answer
    if (this.#isOver || !answer || this.#times.mustHold?.()) return
    if (this.#isPrimed) answer.prime(this.#eventId(this.#events.count), retryMs)
    else this.#prime(retryMs)
    // Who has nothing to come back with would lose the call.
    if (!this.#isPrimed) return
    answer.end()
    this.#wait()
  }

  #say(json: string, isLast = false): void {
    // Somebody who was sent away comes back for the last word, however long it is.
    if (this.#isPrimed && !this.#events.add(json, isLast && !this.#answer)) {
      // Too much to be kept: who loses the connection now has lost the call.
      this.#isPrimed = false
      this.#isTooMuch = true
      this.#forgetEvents()
    }
    this.#answer?.say(json, undefined, this.#isPrimed ? this.#eventId(this.#events.count) : undefined)
  }

  #forgetEvents(): void {
    this.#x.outlivesConnection = false
    this.#calls.delete(this.#key)
    this.#events.forget()
  }

  #finish(): void {
    this.#isOver = true
    this.#stopTimers()
    const answer = this.#answer
    // Whether the last of it arrives, nobody knows.
    if (this.#isPrimed) this.#wait()
    answer?.end()
  }

  #wait(): void {
    this.#answer = undefined
    this.#stopTimers()
    this.#timer = setTimeout(() => {
      this.cancel()
    }, this.#times.patienceMs).unref()
  }

  #stopTimers(): void {
    clearTimeout(this.#timer)
    clearInterval(this.#hangUpTimer)
  }

  #eventId(count: number): string {
    return `${this.#key}/${count}`
  }
}

/** Of one session at a time. */
const CALLS_LIMIT = 64
