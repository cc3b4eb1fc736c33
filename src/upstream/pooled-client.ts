import { Client } from 'undici'
import type { Dispatcher } from 'undici'

/** A handler that wants to know which connection carries its request. */
export interface Carried {
  client: PooledClient | undefined
}

/**
 * One connection of a pool, which tells each handler that it carries it. Only so can a handler know whether its
 * connection has answered before, which is what makes "closed without a word" mean "was stale".
 */
export class PooledClient extends Client {
  /** The connection that is open now has given an answer. */
  answered = false

  constructor(origin: URL, options: object) {
    super(origin, options)
    this.on('connect', () => {
      this.answered = false
    })
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    ;(handler as Partial<Carried>).client = this
    return super.dispatch(options, handler)
  }
}
