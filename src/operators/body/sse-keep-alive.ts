import type { BodySink } from '../../model/exchange/body.ts'

/** Keeps an idle event stream alive. */
export interface KeepAlive {
  /** To be called after each write. */
  moved(): void
  stop(): void
}

const TICK_MS = 5_000
/** A comment is sent after this many ticks without a write: 15 seconds, plus or minus one tick. */
const QUIET_TICKS = 3

/**
 * Writes a comment (`: keep-alive`) whenever a stream has been idle for a while, for intermediaries that close idle
 * connections. Clients ignore comments. One timer serves all streams, and runs only while there are any.
 *
 * @param to Gets comments only between the writes of its owner, which writes whole events.
 */
export const keptAlive = (to: BodySink): KeepAlive => {
  const stream = new Stream(to)
  streams.add(stream)
  timer ??= setInterval(tick, TICK_MS).unref()
  return stream
}

class Stream implements KeepAlive {
  readonly #to: BodySink
  #quietTicks = 0
  #isWaiting = false

  constructor(to: BodySink) {
    this.#to = to
  }

  moved(): void {
    this.#quietTicks = 0
    this.#isWaiting = false
  }

  stop(): void {
    streams.delete(this)
    if (streams.size > 0 || !timer) return
    clearInterval(timer)
    timer = undefined
  }

  tick(): void {
    if (this.#isWaiting || ++this.#quietTicks < QUIET_TICKS) return
    this.#quietTicks = 0
    // A client that does not read needs no further comment.
    this.#isWaiting = !this.#to.write(keepAliveComment)
  }
}

const streams = new Set<Stream>()
let timer: NodeJS.Timeout | undefined

const tick = (): void => {
  for (const stream of streams) stream.tick()
}

/** The comment; multiplexed streams recognize it by identity. */
export const keepAliveComment: Buffer = Buffer.from(': keep-alive\n\n')
