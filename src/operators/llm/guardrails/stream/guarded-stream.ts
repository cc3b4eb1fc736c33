import { type Body, bodyAlreadyUsed, type BodySink } from '../../model/body.ts'
import type { LlmError } from '../../protocols/llm/error.ts'
import { EventCutter } from '../../protocols/sse/event-cutter.ts'
import { keepAliveComment } from '../backend/llm/keep-alive.ts'
import { isWatched, type WatchedBody } from '../backend/llm/stream-watch.ts'
import { asBuffer } from '../body/as-buffer.ts'
import { PipedBody } from '../body/piped-body.ts'
import { Checks } from './checks.ts'
import { ClearedTexts } from './cleared-texts.ts'
import { EventQueue } from './event-queue.ts'
import { EventReader, type ReadEvent } from './event-reader.ts'
import { GuardChain } from './guard-chain.ts'
import type { GuardedStreamOptions } from './guarded-stream-options.ts'
import { Outlet } from './outlet.ts'

/**
 * A stream of events in the client's format, with guards that look at what it says. Events leave in the order in which
 * they came, each once all of its texts have been cleared: to the byte as they came, unless a text was masked. None is
 * left out, and none is added. If a guard rejects, what is held is dropped, the client is told so in its own format, and
 * the source is let go at once.
 *
 * The source is paused while the client does not read, and while too much waits for a guard.
 */
export class GuardedStream extends PipedBody implements WatchedBody, BodySink {
  readonly lengthBytes = undefined
  readonly tellsFailure: boolean
  readonly #source: Body
  readonly #options: GuardedStreamOptions
  readonly #cutter: EventCutter
  readonly #reader: EventReader
  readonly #queue = new EventQueue()
  readonly #cleared = new ClearedTexts()
  readonly #checks: Checks
  readonly #chain: GuardChain
  #to: BodySink | undefined = undefined
  #outlet: Outlet | undefined = undefined
  #resume: (() => void) | undefined = undefined
  #ending: Ending | undefined = undefined
  #error: LlmError | undefined = undefined
  #isDropped = false
  #isOver = false

  constructor(source: Body, options: GuardedStreamOptions) {
    super()
    this.tellsFailure = isWatched(source) && source.tellsFailure
    this.#source = source
    this.#options = options
    this.#cutter = new EventCutter(options.limitBytes)
    // Whoever is asked about windows is to see no longer ones.
    const joins = options.streaming.mode === 'Enabled' && options.guards.every(({ follow }) => follow)
    this.#reader = new EventReader(options.texts, options.limitBytes, joins)
    const { x, reply, settle } = options
    this.#checks = new Checks({
      x,
      reply,
      settle,
      block: (error, { reason, code, error: problem }) => {
        this.#error = error
        if (problem !== undefined) x.cutShort ??= problem
        if (!reply) return
        // Its head has gone, but its line of the log has not been written.
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
    signal.addEventListener('abort', this.#leave)
    this.#outlet = new Outlet(to, this.#goOn)
    this.#source.pipe(this)
    // Until here the source may have been unable to let go.
    if (this.#isDropped) this.#source.drop()
  }

  drop(): void {
    if (this.#isOver) return
    this.#stop()
    this.#letGo()
    this.#options.over?.()
  }

  /** Nobody reads any more, and nothing follows. */
  abandon(): void {
    if (this.#isOver) return
    this.#stop()
    if (isWatched(this.#source)) this.#source.abandon()
    this.#options.over?.()
  }

  write(chunk: Uint8Array): boolean {
    // The source's sign of life is for its reader, which is this one: the client gets its own.
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

  /** What came before is still looked at, and goes first. */
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
    return !this.#isOver && (this.#outlet?.isFull === true || this.#chain.isBehind)
  }

  /** What is replayed begins to leave when all of it may. */
  get #mayLeave(): boolean {
    return this.#options.streaming.mode !== 'Buffer' || this.#cleared.hasEnded
  }

  /** Whatever happens begins here, so that what breaks blocks the stream and nothing else. */
  readonly #run = (run: () => void): void => {
    if (this.#isOver) return
    try {
      run()
      this.#chain.advance(true)
    } catch (bug) {
      this.#options.x.cutShort ??= bug instanceof Error ? bug.message : 'a guard broke'
      this.#checks.breakOff()
    }
    this.#flush()
  }

  #isTooLong(event: Buffer): boolean {
    return event.length > this.#options.limitBytes
  }

  /** @param read Undefined: it is too long. */
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

  /** Writes what may leave, in one piece. */
  #flush(): void {
    const events = this.#mayLeave ? this.#queue.take() : undefined
    if (events && !this.#error) {
      this.#options.shown?.(events)
      this.#outlet?.write(events)
    }
    if (this.#isOver) return
    if (this.#queue.heldBytes > this.#options.limitBytes) this.#tooLong()
    if (this.#error) this.#break(this.#error, events)
    else if (this.#ending && this.#cleared.hasEnded) this.#close(this.#ending)
    else this.#goOn()
  }

  readonly #goOn = (): void => {
    const resume = this.#resume
    if (!resume || this.#isFull) return
    this.#resume = undefined
    resume()
  }

  #break(error: LlmError, events: Buffer | undefined): void {
    if (events) this.#options.shown?.(events)
    const said = Buffer.from(this.#options.encodeError(error))
    this.#outlet?.write(events ? Buffer.concat([events, said]) : said)
    if (this.#isOver) return
    this.#stop()
    this.#letGo()
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
    this.#options.x.signal.removeEventListener('abort', this.#leave)
    this.#checks.stop()
    this.#outlet?.stop()
    this.#queue.clear()
    this.#resume = undefined
  }

  #letGo(): void {
    this.#isDropped = true
    this.#source.drop()
  }

  readonly #leave = (): void => {
    this.drop()
  }
}

const tooLarge = { reason: 'UpstreamFailure', code: 'reply_too_large' } as const

/** What the source said last. */
type Ending = { readonly trailers: readonly string[] | undefined } | { readonly fault: unknown }
