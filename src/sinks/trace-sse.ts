import { escapeControls } from './access-log/text-format.ts'
import type { Writable } from 'node:stream'
import { type ModuleLog, silentLog } from '../model/log/module-log.ts'
import type { Trace, Watch } from '../pipeline/trace.ts'
import type { TraceBatch } from '../pipeline/trace-batch.ts'
import { encodeSseComment, encodeSseEvent } from '../protocols/sse/encode.ts'
import { beginWork } from '../model/introspection/active-work.ts'

/** Limits and intervals; the defaults are those documented for `/debug/trace`. */
export interface TraceSseSettings {
  /** Maximum number of concurrent streams. Default 64. */
  readonly maxWatchers?: number
  /** Default 1000. */
  readonly keepaliveMs?: number
  readonly log?: ModuleLog
  /** Called with the number of events that a slow client lost. */
  readonly onDropped?: (count: number) => void
}

/** The response that a stream of events is written to. */
export interface EventResponse extends Writable {
  writeHead(status: number, headers: Readonly<Record<string, string>>): unknown
  /** Whether it is the reply of an exchange, which a shutdown drains. */
  readonly isOfRoute?: boolean
}

/**
 * Streams of trace events over HTTP responses, as server-sent events. A client that falls behind by {@link
 * backlogBytes} loses events and receives their number; nothing else is delayed.
 */
export class TraceSse {
  readonly maxWatchers: number
  readonly #trace: Trace
  readonly #keepaliveMs: number
  readonly #onDropped: (count: number) => void
  readonly #log: ModuleLog
  #watching = 0
  readonly #routed = new Set<TraceStream>()
  #isShuttingDown = false

  constructor(trace: Trace, settings: TraceSseSettings = {}) {
    this.#trace = trace
    this.maxWatchers = settings.maxWatchers ?? 64
    this.#keepaliveMs = settings.keepaliveMs ?? 1000
    this.#onDropped = settings.onDropped ?? (() => undefined)
    this.#log = settings.log ?? silentLog
  }

  /** Number of open streams. */
  get watching(): number {
    return this.#watching
  }

  /** Starts a stream that ends with its subscription. Returns false, having written nothing, if there are too many. */
  watch(res: EventResponse, options: Pick<Watch, 'filter' | 'count' | 'bodies'>): boolean {
    if (this.#watching >= this.maxWatchers) return false
    this.#watching++
    this.#log.debug?.('a stream of the trace begins', { streams: this.#watching, count: options.count })
    const stream = new TraceStream(res, options.bodies ?? false, this.#onDropped)
    const stop = this.#trace.watch({
      ...options,
      receive: (batches) => stream.receive(batches),
      done: () => stream.end(),
    })
    const end = beginWork('trace watcher', options.filter ? 'filtered' : 'all requests', {
      detail: () => ({ bufferedBytes: res.writableLength }),
    })
    const keepalive = setInterval(() => stream.keepAlive(), this.#keepaliveMs)
    if (res.isOfRoute) this.#routed.add(stream)
    if (res.isOfRoute && this.#isShuttingDown) stream.end()
    res.once('close', () => {
      this.#watching--
      this.#log.debug?.('a stream of the trace ends', { streams: this.#watching, dropped: stream.dropped })
      this.#routed.delete(stream)
      clearInterval(keepalive)
      end()
      stream.close()
      stop()
    })
    return true
  }

  /** Shutdown: ends streams that are exchanges themselves, which would otherwise never end. */
  shutDown(): void {
    this.#isShuttingDown = true
    for (const stream of this.#routed) stream.end()
  }
}

/** Maximum backlog of a slow client; beyond it events are dropped. */
export const backlogBytes = 256 * 1024

class TraceStream {
  readonly #res: EventResponse
  readonly #bodies: boolean
  readonly #onDropped: (count: number) => void
  /** Number of events that the client lost. */
  dropped = 0
  /** Those of them that it was not told. */
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
        this.dropped += batch.size
        this.#onDropped(batch.size)
        continue
      }
      const before = text.length
      text += this.#takeDropped()
      for (const event of batch.json(this.#bodies)) text += encodeSseEvent({ data: escapeControls(event) })
      waiting += text.length - before
    }
    if (text !== '') this.#res.write(text)
  }

  keepAlive(): void {
    if (this.#res.writableEnded) return
    if (this.#res.writableLength <= backlogBytes)
      this.#res.write(this.#takeDropped() + encodeSseComment('keepalive'))
  }

  /** Ends the stream. */
  end(): void {
    if (this.#res.writableEnded) return
    this.#res.end(this.#takeDropped())
    // A client that never reads the end would keep its stream open for ever.
    this.#stallTimer = setTimeout(() => this.#res.destroy(), lingerMs).unref()
  }

  /** The client has left. */
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
