import type { Observable, Subscription } from 'rxjs'
import { encodeMessage, encodeResponse } from '../../../../protocols/json-rpc/encode.ts'
import type { Id } from '../../../../protocols/json-rpc/message.ts'
import type { StreamedAnswer } from './answer.ts'
import { errorOf } from './fault-answer.ts'
import { Fault } from '../../../../model/fault.ts'
import type { KeptBytes } from './kept-bytes.ts'
import { type FromServer, isOutcome } from '../servers/peer.ts'

/** Calls of one session whose streams can be taken up again, by the key in the ids of their events. */
export type ResumableCalls = Map<string, ResumableCall>

/** What is waited for, and for how long. */
export interface ResumableTimes {
  /** How long a client may take to come back. */
  readonly patienceMs: number
  /**
   * A call that takes longer can be taken up again before anything was said. From then on its answer is a stream, and has
   * no status of its own any more.
   */
  readonly silentMs: number
}

/** Long enough for a network to change, and for a server on the internet to want credentials. */
export const resumableTimes: ResumableTimes = { patienceMs: 30_000, silentMs: 5_000 }

/**
 * A call whose answer survives the connection it was asked on: events have ids, and who comes back with the last one it
 * saw hears the rest. An answer that is whole with its first message has none of that.
 *
 * Who does not come back in time has left.
 */
export class ResumableCall {
  readonly #id: Id
  readonly #calls: ResumableCalls
  readonly #key: string
  readonly #events: string[] = []
  readonly #kept: KeptBytes
  #bytes = 0
  #answer: StreamedAnswer | undefined
  #run: Subscription | undefined = undefined
  #isPrimed = false
  /** More was said than is kept. */
  #isTooMuch = false
  #isOver = false
  readonly #times: ResumableTimes
  #timer: NodeJS.Timeout | undefined = undefined

  constructor(
    id: Id,
    calls: ResumableCalls,
    key: string,
    answer: StreamedAnswer,
    times: ResumableTimes,
    kept: KeptBytes,
  ) {
    this.#kept = kept
    this.#times = times
    this.#id = id
    this.#calls = calls
    this.#key = key
    this.#answer = answer
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
    if (this.#isPrimed) return
    // Who is kept waiting may lose the connection meanwhile, and should know by then how to come back.
    this.#timer = setTimeout(() => {
      this.#prime(undefined)
    }, this.#times.silentMs).unref()
  }

  /** The server wants to be asked later. So does the gateway, then: nobody has to wait on a connection. */
  readonly pause = (retryMs: number | undefined): void => {
    if (this.#isOver || !this.#answer) return
    this.#prime(retryMs)
    this.#answer.end()
    this.#wait()
  }

  /** The connection is gone. */
  leave(answer: StreamedAnswer): void {
    if (this.#answer !== answer) return
    if (this.#isPrimed) this.#wait()
    else this.cancel()
  }

  /** The client is back, and has seen so many events. */
  resume(seen: number, answer: StreamedAnswer): void {
    const before = this.#answer
    this.#answer = answer
    // Its end is no news of this call any more.
    before?.end()
    clearTimeout(this.#timer)
    answer.open()
    for (let at = seen; at < this.#events.length; at++)
      answer.say(this.#events[at] as string, undefined, this.#eventId(at + 1))
    if (this.#isOver) this.#finish()
  }

  cancel(): void {
    clearTimeout(this.#timer)
    this.#isOver = true
    this.#run?.unsubscribe()
    this.#forgetEvents()
  }

  #hear(message: FromServer): void {
    if (isOutcome(message)) {
      if (this.#isPrimed) this.#say(encodeResponse(this.#id, message))
      else this.#answer?.last(this.#id, message, undefined)
      this.#finish()
      return
    }
    this.#prime(undefined)
    this.#say(encodeMessage(message))
  }

  #broke(fault: unknown): void {
    if (this.#isPrimed && fault instanceof Fault)
      this.#say(encodeResponse(this.#id, { error: errorOf(fault) }))
    else this.#answer?.broke(this.#id, fault)
    this.#finish()
  }

  #prime(retryMs: number | undefined): void {
    clearTimeout(this.#timer)
    if (this.#isPrimed || this.#isTooMuch || this.#calls.size >= CALLS_LIMIT) return
    this.#isPrimed = true
    this.#calls.set(this.#key, this)
    this.#answer?.prime(this.#eventId(0), retryMs ?? RETRY_MS)
  }

  #say(json: string): void {
    if (this.#isPrimed && !this.#hasRoomFor(json.length)) {
      // Too much to be kept: who loses the connection now has lost the call.
      this.#isPrimed = false
      this.#isTooMuch = true
      this.#forgetEvents()
    }
    if (this.#isPrimed) this.#events.push(json)
    this.#answer?.say(json, undefined, this.#isPrimed ? this.#eventId(this.#events.length) : undefined)
  }

  #hasRoomFor(bytes: number): boolean {
    if (this.#bytes + bytes > BYTES_LIMIT || !this.#kept.take(bytes)) return false
    this.#bytes += bytes
    return true
  }

  #forgetEvents(): void {
    this.#calls.delete(this.#key)
    this.#events.length = 0
    this.#kept.giveBack(this.#bytes)
    this.#bytes = 0
  }

  #finish(): void {
    this.#isOver = true
    clearTimeout(this.#timer)
    const answer = this.#answer
    // Whether the last of it arrives, nobody knows.
    if (this.#isPrimed) this.#wait()
    answer?.end()
  }

  #wait(): void {
    this.#answer = undefined
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      this.cancel()
    }, this.#times.patienceMs).unref()
  }

  #eventId(count: number): string {
    return `${this.#key}/${count}`
  }
}

/** After so long clients come back whose server does not say when. */
const RETRY_MS = 1_000
/** Of one session at a time. */
const CALLS_LIMIT = 64
/** Of one call. */
const BYTES_LIMIT = 1_048_576
