import { Fault } from '../../model/exchange/fault.ts'
import { ResponseBody } from '../http/response/response-body.ts'
import type { UpstreamCall, UpstreamEvents } from '../call.ts'
import { upstreamFault } from '../faults.ts'
import type { MockReply } from './mock-reply.ts'

/** Plays a reply at its configured speed, and no faster than it is consumed. */
export class MockCall extends ResponseBody implements UpstreamCall {
  readonly #events: UpstreamEvents
  #over = false
  #paused = false
  #timer: NodeJS.Timeout | undefined = undefined
  #turn: NodeJS.Immediate | undefined = undefined
  #chunks: Iterator<string> | undefined = undefined
  #chunkDelayMs = 0
  /** Chunks until the connection breaks. */
  #left = Infinity

  constructor(events: UpstreamEvents) {
    super()
    this.#events = events
  }

  /** Starts, unless the call was cancelled. */
  play(reply: MockReply): void {
    if (this.#over) return
    const { delayMs = 0 } = reply
    if (delayMs === 0) this.#reply(reply)
    else this.#timer = setTimeout(() => this.#reply(reply), delayMs)
  }

  /** Ends the reply, or fails the call before it. */
  fail(cause: unknown): void {
    if (this.#over) return
    this.#over = true
    this.releaseConnection()
    const fault =
      cause instanceof Fault
        ? cause
        : new Fault('mock_failed', 'the mock could not answer', { status: 500, cause })
    this.breakOff(fault)
    this.#events.fail(fault)
  }

  abort(): void {
    if (this.#over) return
    this.#over = true
    this.abandon()
  }

  protected override pause(): void {
    this.#paused = true
  }

  protected override resume(): void {
    if (!this.#paused) return
    this.#paused = false
    this.#resume()
  }

  protected override cut(): void {
    if (this.#over) return
    this.abort()
    queueMicrotask(() => this.#events.end())
  }

  protected override releaseConnection(): void {
    clearTimeout(this.#timer)
    clearImmediate(this.#turn)
    this.#chunks = undefined
  }

  #reply({ status, headers, content, chunkDelayMs = 0, cutAfter = Infinity }: MockReply): void {
    if (cutAfter === 0) {
      this.fail(connectionReset())
      return
    }
    if (typeof content !== 'string') {
      this.#chunks = content[Symbol.iterator]()
      this.#chunkDelayMs = chunkDelayMs
      this.#left = cutAfter
      this.#events.head(status, headers, this)
      if (!this.used) this.#paused = true
      this.#resume()
      return
    }
    const bytes = Buffer.from(content)
    this.lengthBytes = bytes.length
    this.#events.head(status, [...headers, 'content-length', String(bytes.length)], this)
    if (this.#over) return
    if (cutAfter === Infinity) {
      this.push(bytes)
      this.#finish()
    } else {
      this.push(bytes.subarray(0, bytes.length >> 1))
      this.fail(connectionReset())
    }
  }

  /** Always asynchronous: the consumer of the body must not receive its end while it subscribes. */
  #resume(): void {
    if (this.#over || this.#paused) return
    clearTimeout(this.#timer)
    clearImmediate(this.#turn)
    if (this.#chunkDelayMs > 0) this.#timer = setTimeout(this.#playSome, this.#chunkDelayMs)
    else this.#turn = setImmediate(this.#playSome)
  }

  readonly #playSome = (): void => {
    try {
      const most = this.#chunkDelayMs > 0 ? 1 : CHUNKS_PER_TURN
      for (let i = 0; i < most && this.#chunks && !this.#paused; i++) {
        const next = this.#chunks.next()
        if (next.done) {
          this.#finish()
          return
        }
        if (this.#left-- === 0) {
          this.fail(connectionReset())
          return
        }
        this.push(Buffer.from(next.value))
      }
      this.#resume()
    } catch (bug) {
      // No caller would catch it.
      this.fail(bug)
    }
  }

  #finish(): void {
    this.#over = true
    if (this.complete(undefined)) this.#events.end()
    else this.whenTaken(() => this.#events.end())
  }
}

/** Chunks of a stream without pauses before other work gets its turn. */
const CHUNKS_PER_TURN = 32

const connectionReset = (): Fault =>
  upstreamFault(Object.assign(new Error('the mock was told to break the connection'), { code: 'ECONNRESET' }))
