import { createServer, type Server, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { RawSession } from '../../model/raw-session.ts'
import type { Bind } from '../../model/resources.ts'
import type { CompiledBind, CompiledListener, Snapshot } from '../../model/snapshot.ts'
import { arrive } from './arrival.ts'
import { ClientConnection, type Conversation } from './client-connection.ts'
import type { ConnectionLabels, ConnectionProtocol } from './gate.ts'
import { Http1 } from './h1.ts'
import { Http2 } from './h2.ts'
import { openSocket, type PortAddress } from './port-address.ts'
import { Served, type Serving } from './serve.ts'
import { TlsTerminators } from './tls-terminators.ts'
import { RawConversation } from '../tcp/route.ts'

/** One bind while it is open: its listening socket, and the connections that came through it. */
export class Port {
  readonly key: string
  readonly serving: Serving
  served: Served
  readonly http1 = new Http1()
  readonly http2 = new Http2()
  readonly terminators: TlsTerminators
  readonly #server: Server
  readonly #connections = new Set<ClientConnection>()
  /** Counted beside the connections: what goes to an upstream may outlast the client it came from. */
  readonly #raw = new Set<Conversation>()
  #gone: PromiseWithResolvers<undefined> | undefined = undefined

  constructor(serving: Serving, snapshot: Snapshot, bind: CompiledBind) {
    this.key = bind.resource.key
    this.serving = serving
    this.served = new Served(snapshot, bind)
    this.terminators = new TlsTerminators(serving.certificateCheckMs, (message, facts) =>
      serving.gate.warn?.(message, { bind: this.key, ...facts }),
    )
    this.#server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => this.#accept(socket))
  }

  /**
   * Takes over a configuration; exchanges and handshakes under way keep the one they began with. Returns what does not
   * work of it, such as a certificate that cannot be read.
   */
  configure(snapshot: Snapshot, bind: CompiledBind): string[] {
    this.served = new Served(snapshot, bind)
    this.http1.configure(bind.frontend)
    this.http2.configure(bind.frontend)
    return this.terminators.configure(bind)
  }

  /** Opens the socket; rejects if that does not work. An internal bind has none. */
  async open(ipv6: boolean): Promise<void> {
    const { resource } = this.served.bind
    if (resource.mode !== 'internal') await openSocket(this.#server, resource.address, resource.port, ipv6)
  }

  get address(): PortAddress | undefined {
    const address = this.#server.address()
    if (address === null) return undefined
    return typeof address === 'string'
      ? { bind: this.key, unix: address }
      : { bind: this.key, host: address.address, port: address.port }
  }

  /** Whether a bind means the socket that is open here. */
  listensAs({ address, port, mode }: Bind): boolean {
    const { resource } = this.served.bind
    return resource.address === address && resource.port === port && resource.mode === mode
  }

  /** Whether it listens on every address, at this port number. */
  isReachedAt(number: number): boolean {
    const { address, port, mode } = this.served.bind.resource
    if (address !== '::' && address !== '0.0.0.0') return false
    if (mode === 'internal') return port === number
    const bound = this.address
    return bound !== undefined && 'port' in bound && bound.port === number
  }

  /** Whether it takes the tunnels that fit no other bind. */
  get isWildcard(): boolean {
    const { mode, port } = this.served.bind.resource
    return mode === 'internal' && port === undefined
  }

  /** Stops accepting; resolves when the last connection has gone. Idle ones go now, others with their last answer. */
  retire(): Promise<unknown> {
    if (this.#gone) return this.#gone.promise
    this.#gone = Promise.withResolvers()
    this.#server.close()
    this.terminators.stop()
    this.http1.closeIdle()
    for (const connection of this.#connections) connection.retire()
    this.#checkGone()
    return this.#gone.promise
  }

  /** Cuts whatever is left. */
  destroy(): void {
    for (const conversation of this.#raw) conversation.cut?.()
    for (const connection of this.#connections) {
      connection.cutBecause = 'the gateway ended'
      connection.stream.destroy()
    }
  }

  /** A connection, from the socket or from inside a tunnel; what it speaks is found out here. */
  begin(stream: Duplex, outer?: ClientConnection, connectHeaders?: readonly string[]): void {
    const connection = new ClientConnection(this, stream, outer, connectHeaders)
    this.#connections.add(connection)
    stream.on('close', () => this.#forget(connection))
    const { maxConnectionDurationMs } = this.served.bind.frontend.http
    if (maxConnectionDurationMs) {
      const timer = setTimeout(() => {
        // One that has not even said what it speaks is busy with nothing.
        if (connection.conversation) connection.conversation.close()
        else stream.destroy()
      }, maxConnectionDurationMs)
      stream.on('close', () => clearTimeout(timer))
    }
    arrive(this, connection)
  }

  /** It is known what a connection speaks, and over TLS also to which listener. */
  opened(
    connection: ClientConnection,
    protocol: ConnectionProtocol,
    listener: CompiledListener | undefined,
  ): void {
    const events = this.serving.gate.connections
    if (!events) return
    const { bind, only } = this.served
    const { gateway, listener: name } = (listener ?? only)?.labels ?? bind.labels
    const labels: ConnectionLabels = { bind: this.key, gateway, listener: name, protocol }
    connection.labels = labels
    events.opened(labels)
  }

  /** Passes a connection on as it is, by the routes of a listener. */
  passOn(
    connection: ClientConnection,
    listener: CompiledListener | undefined,
    stream: Duplex,
    serverName?: string,
  ): void {
    const { snapshot, bind } = this.served
    const labels = listener?.labels ?? bind.labels
    const conversation = new RawConversation(
      stream,
      new RawSession(connection, snapshot, labels, serverName),
      {
        dialler: this.serving.tcp,
        idleTimeoutMs: bind.frontend.http.idleTimeoutMs,
        ended: (session) => {
          this.#raw.delete(conversation)
          this.serving.gate.rawEnded?.(session)
          this.#checkGone()
        },
      },
    )
    connection.conversation = conversation
    this.#raw.add(conversation)
    conversation.start(listener?.tcpTarget(serverName))
  }

  #accept(socket: Socket): void {
    // Whatever goes wrong with a socket also closes it, and closing is what everything else listens to.
    socket.on('error', ignore)
    const keepalives = this.served.bind.frontend.tcp?.keepalives
    if (keepalives) {
      const { enabled, timeMs, intervalMs, retries } = keepalives
      socket.setKeepAlive(enabled, timeMs, intervalMs, retries)
    }
    this.begin(socket)
  }

  #forget(connection: ClientConnection): void {
    this.#connections.delete(connection)
    const { labels, stream } = connection
    if (labels) {
      const { bytesRead = 0, bytesWritten = 0 } = stream as Partial<Socket>
      this.serving.gate.connections?.closed(labels, bytesRead, bytesWritten)
    }
    this.#checkGone()
  }

  #checkGone(): void {
    if (!this.#gone || this.#connections.size + this.#raw.size > 0) return
    this.http1.stop()
    this.#gone.resolve(undefined)
  }
}

const ignore = (): void => undefined
