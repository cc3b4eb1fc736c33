import type { Socket } from 'node:net'
import type { Connection } from '../../model/exchange/connection.ts'

/**
 * How often raw connections have passed this process on their way, by the addresses of their sockets: the client of a
 * connection that comes back is a socket of the gateway. A load balancer in between that replaces the client's address
 * hides that, and so does another worker or replica.
 */
export class TcpHops {
  /** By the local address of the upstream's socket. */
  readonly #hops = new Map<string, number>()

  /**
   * Counts the pass of a connection whose upstream has connected. Before that, the upstream of an earlier pass may not
   * be known yet: its `connect` may come after the connection that it opens.
   *
   * @returns The number of passes, this one included.
   */
  add(client: Connection, upstream: Socket): number {
    const hops = (this.#hops.get(keyOf(client.rawAddress, client.rawPort)) ?? 0) + 1
    const { localAddress = '', localPort } = upstream
    if (localPort === undefined) return hops
    const key = keyOf(localAddress, localPort)
    this.#hops.set(key, hops)
    upstream.once('close', () => this.#hops.delete(key))
    return hops
  }
}

const keyOf = (address: string, port: number): string => `${address}:${port}`
