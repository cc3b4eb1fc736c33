import { type Body, bodyAlreadyUsed, type BodySink } from '../../../../model/exchange/body.ts'
import type { LlmError } from '../../../../protocols/llm/errors/error.ts'
import { EventCutter } from '../../../../protocols/sse/event-splitter.ts'
import { keepAliveComment } from '../../../body/sse-keep-alive.ts'
import { isObserved, type ObservedBody } from '../../reply/stream-observer.ts'
import { asBuffer } from '../../../body/as-buffer.ts'
import { PipedBody } from '../../../body/piped-body.ts'
import { Checks } from './pending-checks.ts'
import { ClearedTexts, GuardChain } from './guard-chain.ts'
import { EventQueue } from './event-queue.ts'
import { EventReader, type ReadEvent } from './event-reader.ts'
import type { GuardedStreamOptions } from './guarded-stream-options.ts'
import { ClientOutput } from './client-output.ts'

/**
 * A stream of events in the client's format, checked by guards. Events are sent in the order in which they were
 * received, each once all of its texts have been cleared: byte for byte, unless a text was masked. None is omitted,
 * and none is added. If a guard rejects, the pending events are dropped, the client gets an error in its own format,
 * and the source is cancelled at once.
 *
 * The source is paused while the client does not read, and while too much is pending for a guard.
 */
export class GuardedStream extends PipedBody implements ObservedBody, BodySink {
  readonly lengthBytes = undefined
  readonly reportsFailure: boolean
  readonly #source: Body
  readonly #options: GuardedStreamOptions
  readonly #cutter: EventCutter
  readonly #reader: EventReader
  readonly #queue = new EventQueue()
  readonly #cleared = new ClearedTexts()
  readonly #checks: Checks
  readonly #chain: GuardChain
  #to: BodySink | undefined = undefined
  #output: ClientOutput | undefined = undefined
  #resume: (() => void) | undefined = undefined
  #ending: Ending | undefined = undefined
  #error: LlmError | undefined = undefined
  #isDropped = false
  #isOver = false

  constructor(source: Body, options: GuardedStreamOptions) {
    super()
    this.reportsFailure = isObserved(source) && source.reportsFailure
    this.#source = source
    this.#options = options
    this.#cutter = new EventCutter(options.limitBytes)
    // Guards that check windows must not get longer ones.
    const joins = options.streaming.mode === 'Enabled' && options.guards.every(({ follow }) => follow)
    this.#reader = new EventReader(options.texts, options.limitBytes, joins)
    const { x, reply, onGuardEnd } = options
    this.#checks = new Checks({
      x,
      reply,
      onGuardEnd,
      block: (error, { reason, code, error: problem }) => {
        this.#error = error
        if (problem !== undefined) x.downstream.truncatedBy ??= problem
        if (!reply) return
        // The head has been sent, but the access log has not been written.
        reply.reason = reason
        reply.code = code
      },
    })
    this.#chain = new GuardChain(options, this.#checks, this.#cleared, this.#run)
  }

  pipe(to: BodySink): void {
    if (this.#to) throw bodyAlreadyUsed()
    this.#to = to
    const { signal } = this.#options.x
    if (signal.aborted) this.drop()
    if (this.#isOver) return
    signal.addEventListener('abort', this.#onAbort)
    this.#output = new ClientOutput(to, this.#resumeSource)
    this.#source.pipe(this)
    // The source could not be cancelled before it was piped.
    if (this.#isDropped) this.#source.drop()
  }

  drop(): void {
    if (this.#isOver) return
    this.#stop()
    this.#dropSource()
    this.#options.over?.()
  }

  /** The client has disconnected, and nothing follows. */
  abandon(): void {
    if (this.#isOver) return
    this.#stop()
    if (isObserved(this.#source)) this.#source.abandon()
    this.#options.over?.()
  }

  write(chunk: Uint8Array): boolean {
    // Keep-alives of the source are not forwarded: the client gets its own.
    if (this.#isOver || chunk === keepAliveComment) return true
    this.#run(() => {
      const whole = this.#cutter.push(asBuffer(chunk))
      if (whole)
        for (const read of this.#reader.readAll(whole)) {
          this.#take(read)
          if (this.#checks.isOver) break
        }
      if (this.#cutter.isOver) this.#tooLong()
    })
    return !this.#isFull
  }

  end(trailers?: readonly string[]): void {
    if (this.#isOver || this.#ending) return
    this.#ending = { trailers }
    this.#run(() => {
      const rest = this.#cutter.rest()
      if (rest.length) this.#take(this.#isTooLong(rest) ? undefined : this.#reader.read(rest, true))
      this.#endTexts()
    })
  }

  /** Events received before the failure are still checked, and sent first. */
  fail(fault: unknown): void {
    if (this.#isOver || this.#ending) return
    this.#ending = { fault }
    this.#run(this.#endTexts)
  }

  onDrain(resume: () => void): void {
    if (this.#isFull) this.#resume = resume
    else resume()
  }

  get #isFull(): boolean {
    return !this.#isOver && (this.#output?.isFull === true || this.#chain.isBehind)
  }

  /** Replayed events are sent once all of them are cleared. */
  get #maySend(): boolean {
    return this.#options.streaming.mode !== 'Buffer' || this.#cleared.hasEnded
  }

  /** Every entry point runs here, so that an error blocks the stream, and nothing else. */
  readonly #run = (run: () => void): void => {
    if (this.#isOver) return
    try {
      run()
      this.#chain.advance(true)
    } catch (bug) {
      this.#options.x.downstream.truncatedBy ??= bug instanceof Error ? bug.message : 'a guard broke'
      this.#checks.breakOff()
    }
    this.#flush()
  }

  #isTooLong(event: Buffer): boolean {
    return event.length > this.#options.limitBytes
  }

  /** @param read Undefined if the event is too long. */
  #take(read: ReadEvent | undefined): void {
    if (!read) {
      this.#tooLong()
      return
    }
    const { event, texts, closes } = read
    this.#queue.push(event)
    for (const text of texts) if (!this.#checks.isOver) this.#chain.text(text)
    if (closes.length && !this.#checks.isOver) this.#chain.close(closes)
    this.#chain.advance(false)
  }

  readonly #endTexts = (): void => {
    if (!this.#checks.isOver) this.#chain.close('all')
    if (!this.#checks.isOver) this.#chain.end()
  }

  #tooLong(): void {
    const message = `what guards have to see of the answer exceeds the limit of ${String(this.#options.limitBytes)} bytes`
    this.#checks.block({ status: 502, code: 'reply_too_large', message }, { ...tooLarge, error: message })
  }

  /** Sends the cleared events, as one buffer. */
  #flush(): void {
    const events = this.#maySend ? this.#queue.take() : undefined
    if (events && !this.#error) {
      this.#options.shown?.(events)
      this.#output?.write(events)
    }
    if (this.#isOver) return
    if (this.#queue.pendingBytes > this.#options.limitBytes) this.#tooLong()
    if (this.#error) this.#break(this.#error, events)
    else if (this.#ending && this.#cleared.hasEnded) this.#close(this.#ending)
    else this.#resumeSource()
  }

  readonly #resumeSource = (): void => {
    const resume = this.#resume
    if (!resume || this.#isFull) return
    this.#resume = undefined
    resume()
  }

  #break(error: LlmError, events: Buffer | undefined): void {
    if (events) this.#options.shown?.(events)
    const encoded = Buffer.from(this.#options.encodeError(error))
    this.#output?.write(events ? Buffer.concat([events, encoded]) : encoded)
    if (this.#isOver) return
    this.#stop()
    this.#dropSource()
    this.#options.over?.()
    this.#to?.end()
  }

  #close(ending: Ending): void {
    this.#stop()
    this.#options.over?.()
    if ('fault' in ending) this.#to?.fail(ending.fault)
    else this.#to?.end(ending.trailers)
  }

  #stop(): void {
    this.#isOver = true
    this.#options.x.signal.removeEventListener('abort', this.#onAbort)
    this.#checks.stop()
    this.#output?.stop()
    this.#queue.clear()
    this.#resume = undefined
  }

  #dropSource(): void {
    this.#isDropped = true
    this.#source.drop()
  }

  readonly #onAbort = (): void => {
    this.drop()
  }
}

const tooLarge = { reason: 'UpstreamFailure', code: 'reply_too_large' } as const

/** How the source ended. */
type Ending = { readonly trailers: readonly string[] | undefined } | { readonly fault: unknown }
