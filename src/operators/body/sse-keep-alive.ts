import type { BodySink } from '../../model/exchange/body.ts'

/** Keeps a stream of events from looking dead. */
export interface KeepAlive {
  /** Something was written. */
  moved(): void
  stop(): void
}

const TICK_MS = 5_000
/** A comment follows when nothing was written for this many ticks: 15 seconds, give or take one tick. */
const QUIET_TICKS = 3

/**
 * Writes a comment (`: keep-alive`) whenever a stream has been silent for a while, for the proxies in between that close
 * what seems idle. Clients take no notice of comments. One timer serves all streams, and is there as long as there are
 * any.
 *
 * @param to Gets comments only between the writes of its owner, who writes whole events.
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
    // A client that does not read needs no sign of life, and gets no second one.
    this.#isWaiting = !this.#to.write(keepAliveComment)
  }
}

const streams = new Set<Stream>()
let timer: NodeJS.Timeout | undefined

const tick = (): void => {
  for (const stream of streams) stream.tick()
}

/** What is written; streams of streams know it by its identity. */
export const keepAliveComment: Buffer = Buffer.from(': keep-alive\n\n')
