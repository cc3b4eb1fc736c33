import { Agent, type ClientRequestArgs } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { type UpstreamSockets } from '../upstream-clients.ts'

/**
 * Opens a connection, and calls back once.
 *
 * @param raw The socket to connect, where it has to be of a certain kind.
 */
export type Connect = (connected: (error: Error | null, socket: Socket | null) => void, raw?: Socket) => void

/** Idle connections for requests that undici cannot send. */
const MAX_FREE = 16

/** Connections of `node:http` to one endpoint, opened by the endpoint and kept alive for a while. */
export class EndpointAgent extends Agent {
  readonly #connect: Connect
  readonly #sockets = new Set<Socket>()
  #retired: (() => void) | undefined = undefined

  constructor(connect: Connect, idleTimeoutMs: number) {
    super({ keepAlive: true, maxFreeSockets: MAX_FREE, timeout: idleTimeoutMs })
    this.#connect = connect
  }

  override createConnection(
    _: ClientRequestArgs,
    connected?: (error: Error | null, stream: Duplex) => void,
  ): undefined {
    this.#connect((error, socket) => {
      if (socket) {
        this.#sockets.add(socket)
        socket.once('close', () => {
          this.#sockets.delete(socket)
          if (this.#sockets.size === 0) this.#retired?.()
        })
      }
      connected?.(error, socket as Socket)
    })
    return undefined
  }

  override keepSocketAlive(socket: Duplex): boolean {
    if (this.#retired) return false
    // Node's own returns false for connections that the upstream is about to close, despite its declared type.
    const keep: (socket: Duplex) => unknown = super.keepSocketAlive.bind(this)
    return keep(socket) !== false
  }

  /** Its sockets now. */
  counts(): UpstreamSockets {
    const idle = countOf(this.freeSockets)
    return {
      open: this.#sockets.size,
      idle,
      calls: this.#sockets.size - idle,
      pendingCalls: countOf(this.requests),
    }
  }

  /** Closes idle connections, and the others as soon as they are idle. */
  async close(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<undefined>()
    this.#retired = () => resolve(undefined)
    for (const free of Object.values(this.freeSockets)) for (const socket of free ?? []) socket.destroy()
    if (this.#sockets.size === 0) resolve(undefined)
    await promise
  }
}

const countOf = (lists: NodeJS.ReadOnlyDict<readonly unknown[]>): number =>
  Object.values(lists).reduce((sum, list) => sum + (list?.length ?? 0), 0)
