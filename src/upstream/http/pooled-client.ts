import { Client, type Dispatcher } from 'undici'
import { ResponseSocket } from './response/response-socket.ts'
import { responseHeads, type ResponseHeads } from './response/response-heads.ts'
import type { Connect } from './endpoint-agent.ts'

/** A handler that needs the connection of its request. */
export interface Carried {
  client: PooledClient | undefined
}

/**
 * One connection of a pool, which identifies itself to each handler. A connection that has served a response before,
 * and closes without one, was stale: the handler needs that to resend the request.
 */
export class PooledClient extends Client {
  /** The open connection has served a response. */
  hasResponded = false
  /** The open connection, if it leases its read buffers. */
  socket: ResponseSocket | undefined = undefined
  /** Reads the response heads of the open connection. */
  heads: ResponseHeads | undefined = undefined

  /** @param lends Whether the connection reads from the network itself: TLS decrypts into memory of its own. */
  constructor(origin: URL, options: object, connect: Connect, lends: boolean) {
    super(origin, {
      ...options,
      connect: (_, connected) => {
        const raw = lends ? new ResponseSocket() : undefined
        connect((error, socket) => {
          this.socket = raw
          this.heads = raw?.heads ?? (socket ? responseHeads(socket) : undefined)
          if (socket) connected(null, socket)
          else connected(error ?? new Error('no connection'), null)
        }, raw)
      },
    })
    this.on('connect', () => {
      this.hasResponded = false
    })
    // Its buffers are released with it.
    this.on('disconnect', () => {
      this.socket = undefined
    })
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    ;(handler as Partial<Carried>).client = this
    return super.dispatch(options, handler)
  }
}
