import { Client } from 'undici'
import type { Dispatcher } from 'undici'
import { AnswerSocket } from './answer-socket.ts'
import type { Connect } from './endpoint-agent.ts'

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
  /** The connection that is open now, if it lends what it reads. */
  socket: AnswerSocket | undefined = undefined

  /** @param lends Whether the connection reads from the network itself: what TLS reads it decrypts into memory of its own. */
  constructor(origin: URL, options: object, connect: Connect, lends: boolean) {
    super(origin, {
      ...options,
      connect: (_, connected) => {
        const raw = lends ? new AnswerSocket() : undefined
        connect((error, socket) => {
          this.socket = raw
          if (socket) connected(null, socket)
          else connected(error ?? new Error('no connection'), null)
        }, raw)
      },
    })
    this.on('connect', () => {
      this.answered = false
    })
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    ;(handler as Partial<Carried>).client = this
    return super.dispatch(options, handler)
  }
}
