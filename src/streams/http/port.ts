import { createServer, type Server, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { CompiledBind, Snapshot } from '../../model/snapshot.ts'
import { ClientConnection } from './client-connection.ts'
import { Http1 } from './h1.ts'
import { openSocket, type PortAddress } from './port-address.ts'
import { Served, type Serving } from './serve.ts'

/** One bind while it is open: its listening socket, and the connections that came through it. */
export class Port {
  readonly key: string
  readonly serving: Serving
  served: Served
  /** Open connections. */
  readonly connections = new Set<ClientConnection>()
  /** No new connections, and no second request on the ones there are. */
  retired = false
  readonly #server: Server
  readonly #http1: Http1
  #empty: PromiseWithResolvers<undefined> | undefined = undefined

  constructor(serving: Serving, snapshot: Snapshot, bind: CompiledBind) {
    this.key = bind.resource.key
    this.serving = serving
    this.served = new Served(snapshot, bind)
    this.#http1 = new Http1(this)
    this.#server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => this.#accept(socket))
    this.configure(snapshot, bind)
  }

  /** Takes over a new configuration; exchanges and handshakes under way keep the one they began with. */
  configure(snapshot: Snapshot, bind: CompiledBind): void {
    this.served = new Served(snapshot, bind)
    this.#http1.configure(bind.frontend)
  }

  /** Opens the socket; rejects if that does not work. An internal bind has none. */
  async open(ipv6: boolean): Promise<void> {
    const { resource } = this.served.bind
    if (resource.mode === 'internal') return
    await openSocket(this.#server, resource.address, resource.port, ipv6)
  }

  get address(): PortAddress | undefined {
    const address = this.#server.address()
    if (address === null) return undefined
    return typeof address === 'string'
      ? { bind: this.key, unix: address }
      : { bind: this.key, host: address.address, port: address.port }
  }

  /** Stops accepting; resolves when the last connection has gone. Idle ones go now, others with their last answer. */
  retire(): Promise<unknown> {
    if (this.#empty) return this.#empty.promise
    this.#empty = Promise.withResolvers()
    this.retired = true
    this.#server.close()
    this.#http1.closeIdle()
    for (const connection of this.connections) connection.retire()
    this.#checkEmpty()
    return this.#empty.promise
  }

  /** Cuts whatever is left. */
  destroy(): void {
    for (const connection of this.connections) connection.socket.destroy()
  }

  /** A connection, from the socket or from inside a tunnel; what it speaks is found out here. */
  begin(stream: Duplex, outer?: ClientConnection, connectHeaders?: readonly string[]): void {
    const connection = new ClientConnection(this, stream, outer, connectHeaders)
    this.connections.add(connection)
    stream.on('close', () => this.#forget(connection))
    this.#http1.accept(stream, connection)
  }

  #accept(socket: Socket): void {
    // Whatever goes wrong with a socket also closes it, and closing is what everything else listens to.
    socket.on('error', ignore)
    this.begin(socket)
  }

  #forget(connection: ClientConnection): void {
    this.connections.delete(connection)
    this.#checkEmpty()
  }

  #checkEmpty(): void {
    if (this.connections.size === 0) this.#empty?.resolve(undefined)
  }
}

const ignore = (): void => undefined
