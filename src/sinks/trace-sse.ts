import type { Writable } from 'node:stream'
import type { Trace, Watch } from '../pipeline/trace.ts'
import type { TraceBatch } from '../pipeline/trace-batch.ts'
import { encodeSseComment, encodeSseEvent } from '../protocols/sse/encode.ts'

/** Bounds and rhythm; the defaults are what `/debug/trace` promises. */
export interface TraceSseSettings {
  /** Streams at the same time. Default 64. */
  readonly maxWatchers?: number
  /** Default 1000. */
  readonly keepaliveMs?: number
  /** Told how many events a slow watcher lost. */
  readonly onDropped?: (count: number) => void
}

/** Where a stream of events goes: the response of a server, or something like it. */
export interface EventResponse extends Writable {
  writeHead(status: number, headers: Readonly<Record<string, string>>): unknown
  /** It is the reply of an exchange, for whose end a shutdown waits. */
  readonly isOfRoute?: boolean
}

/**
 * Streams of trace events over HTTP responses, as server-sent events. A reader that falls behind by
 * {@link backlogBytes} loses events, hears how many, and holds up nobody.
 */
export class TraceSse {
  readonly maxWatchers: number
  readonly #trace: Trace
  readonly #keepaliveMs: number
  readonly #onDropped: (count: number) => void
  #watching = 0
  readonly #routed = new Set<TraceStream>()
  #isShuttingDown = false

  constructor(trace: Trace, settings: TraceSseSettings = {}) {
    this.#trace = trace
    this.maxWatchers = settings.maxWatchers ?? 64
    this.#keepaliveMs = settings.keepaliveMs ?? 1000
    this.#onDropped = settings.onDropped ?? (() => undefined)
  }

  /** Streams open now. */
  get watching(): number {
    return this.#watching
  }

  /** Answers with a stream that ends when the watch is over. Returns false, having written nothing, if there are too many. */
  watch(res: EventResponse, options: Pick<Watch, 'filter' | 'count' | 'bodies'>): boolean {
    if (this.#watching >= this.maxWatchers) return false
    this.#watching++
    const stream = new TraceStream(res, options.bodies ?? false, this.#onDropped)
    const stop = this.#trace.watch({
      ...options,
      receive: (batches) => stream.receive(batches),
      done: () => stream.end(),
    })
    const keepalive = setInterval(() => stream.keepAlive(), this.#keepaliveMs)
    if (res.isOfRoute) this.#routed.add(stream)
    if (res.isOfRoute && this.#isShuttingDown) stream.end()
    res.once('close', () => {
      this.#watching--
      this.#routed.delete(stream)
      clearInterval(keepalive)
      stream.close()
      stop()
    })
    return true
  }

  /** The gateway shuts down: streams that are exchanges themselves end, for no other end would come. */
  shutDown(): void {
    this.#isShuttingDown = true
    for (const stream of this.#routed) stream.end()
  }
}

/** What may wait for a slow reader; beyond it events are dropped. */
export const backlogBytes = 256 * 1024

class TraceStream {
  readonly #res: EventResponse
  readonly #bodies: boolean
  readonly #onDropped: (count: number) => void
  #dropped = 0
  #stallTimer: NodeJS.Timeout | undefined = undefined

  constructor(res: EventResponse, bodies: boolean, onDropped: (count: number) => void) {
    this.#res = res
    this.#bodies = bodies
    this.#onDropped = onDropped
    res.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
    res.write(encodeSseComment('ready'))
  }

  receive(batches: readonly TraceBatch[]): void {
    if (this.#res.writableEnded) return
    let waiting = this.#res.writableLength
    let text = ''
    for (const batch of batches) {
      if (waiting > backlogBytes) {
        this.#dropped += batch.size
        this.#onDropped(batch.size)
        continue
      }
      const before = text.length
      text += this.#takeDropped()
      for (const event of batch.json(this.#bodies)) text += encodeSseEvent({ data: event })
      waiting += text.length - before
    }
    if (text !== '') this.#res.write(text)
  }

  keepAlive(): void {
    if (this.#res.writableEnded) return
    if (this.#res.writableLength <= backlogBytes)
      this.#res.write(this.#takeDropped() + encodeSseComment('keepalive'))
  }

  /** Nothing more will come. */
  end(): void {
    if (this.#res.writableEnded) return
    this.#res.end(this.#takeDropped())
    // A reader that never reads the end would hold its place for ever.
    this.#stallTimer = setTimeout(() => this.#res.destroy(), lingerMs).unref()
  }

  /** The reader is gone. */
  close(): void {
    clearTimeout(this.#stallTimer)
  }

  #takeDropped(): string {
    if (this.#dropped === 0) return ''
    const message = { type: 'dropped', count: this.#dropped }
    this.#dropped = 0
    return encodeSseEvent({
      data: JSON.stringify({ eventStart: null, eventEnd: 0, severity: 'warn', message }),
    })
  }
}

const lingerMs = 10_000
