import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Connection } from '../../../model/exchange/connection.ts'
import { TcpSession } from '../../../model/exchange/tcp-connection.ts'
import type { Bind } from '../../../model/resources/resources.ts'
import type { CompiledBind, CompiledListener, Snapshot } from '../../../model/resources/snapshot.ts'
import { type AcceptingPort, acceptConnection } from '../connection/accept.ts'
import { ClientConnection, type ConnectionDriver } from '../connection/client-connection.ts'
import { logClosed, logOpened } from '../connection/log-connection.ts'
import type { ConnectionLabels, ConnectionProtocol } from './port-hooks.ts'
import { Http1 } from '../http1/server.ts'
import { Http2 } from '../http2/server.ts'
import type { OpenPort } from './open-port.ts'
import { openSocket, type PortAddress, type SocketOptions } from './port-address.ts'
import { type ExchangeServer, ServedBind, type TunnelTarget } from './serve.ts'
import { TlsTerminators } from '../tls/terminators.ts'
import { TcpProxy } from '../../tcp/tcp-proxy.ts'
import { setKeepalives } from '../../../upstream/connect/keepalives.ts'

/** How long a port that has stopped accepting still waits for requests on its connections. */
const GRACE_MS = 1_000

/** One bind for connections while it is open: its listening socket and its connections. */
export class Port implements AcceptingPort, TunnelTarget, OpenPort {
  readonly key: string
  readonly transport = 'tcp'
  readonly serving: ExchangeServer
  served: ServedBind
  readonly http1 = new Http1()
  readonly http2 = new Http2()
  readonly terminators: TlsTerminators
  readonly #server: Server
  readonly #connections = new Set<ClientConnection>()
  /** Counted apart from the connections: the upstream side may outlast the client's. */
  readonly #raw = new Set<ConnectionDriver>()
  #gone: PromiseWithResolvers<undefined> | undefined = undefined
  #grace: NodeJS.Timeout | undefined = undefined
  #closed: Promise<void> | undefined = undefined
  #isClosed = false
  #isCut = false
  #accepted = 0

  constructor(serving: ExchangeServer, snapshot: Snapshot, bind: CompiledBind) {
    this.key = bind.resource.key
    this.serving = serving
    this.served = new ServedBind(snapshot, bind)
    this.terminators = new TlsTerminators(serving.certificateCheckMs, (message, fields) =>
      serving.hooks.warn?.(message, { bind: this.key, ...fields }),
    )
    this.#server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => this.#accept(socket))
  }

  /**
   * Applies a configuration; exchanges and handshakes under way keep theirs. Returns the problems, such as a
   * certificate that cannot be read.
   */
  configure(snapshot: Snapshot, bind: CompiledBind): string[] {
    this.served = new ServedBind(snapshot, bind)
    this.http1.configure(bind.frontend)
    this.http2.configure(bind.frontend)
    return this.terminators.configure(bind)
  }

  /** Opens the socket; rejects if it cannot. An internal bind has none. */
  async open(options: SocketOptions): Promise<void> {
    const { resource } = this.served.bind
    if (resource.mode !== 'internal') await openSocket(this.#server, resource.address, resource.port, options)
  }

  get address(): PortAddress | undefined {
    const { address: configured } = this.served.bind.resource
    // Node does not know the path of an inherited socket file.
    if (this.#server.listening && configured.startsWith('unix:'))
      return { bind: this.key, unix: configured.slice('unix:'.length) }
    const address = this.#server.address() as AddressInfo | null
    return address ? { bind: this.key, host: address.address, port: address.port } : undefined
  }

  get connections(): ReadonlySet<ClientConnection> {
    return this.#connections
  }

  get raw(): ReadonlySet<ConnectionDriver> {
    return this.#raw
  }

  get isRetired(): boolean {
    return this.#gone !== undefined
  }

  listensAs({ address, port, mode }: Bind): boolean {
    const { resource } = this.served.bind
    return resource.address === address && resource.port === port && resource.mode === mode
  }

  /** Whether it listens on every address at this port number. */
  listensOnAll(number: number): boolean {
    const { address, port, mode } = this.served.bind.resource
    if (address !== '::' && address !== '0.0.0.0') return false
    if (mode === 'internal') return port === number
    const bound = this.address
    return bound !== undefined && 'port' in bound && bound.port === number
  }

  /** Whether it accepts the tunnels that match no other bind. */
  get isWildcard(): boolean {
    const { mode, port } = this.served.bind.resource
    return mode === 'internal' && port === undefined
  }

  /**
   * Stops accepting; resolves when the last connection has closed. Busy connections close with their next reply, idle
   * ones after the grace: requests received until then were sent before the client could know.
   */
  retire(): Promise<unknown> {
    if (this.#gone) return this.#gone.promise
    this.#gone = Promise.withResolvers()
    void this.stopAccepting()
    this.terminators.stop()
    for (const connection of this.#connections) connection.retire()
    this.#grace = setTimeout(() => this.#closeWhenIdle(), GRACE_MS)
    return this.#gone.promise
  }

  /**
   * Closes the listening socket; resolves when that is done. The close would reset clients that are connected but not
   * accepted, so those are accepted first: until none comes for two turns, for as long as the grace at most.
   */
  stopAccepting(): Promise<void> {
    return (this.#closed ??= this.#acceptTheRest())
  }

  destroy(): void {
    this.#isCut = true
    for (const driver of this.#raw) driver.cut?.()
    for (const connection of this.#connections) {
      connection.cutBecause = 'the gateway ended'
      connection.stream.destroy()
    }
  }

  /** Begins a connection, from the socket or from inside a tunnel, and detects its protocol. */
  begin(stream: Duplex, outer?: Connection, connectHeaders?: readonly string[]): void {
    if (this.#isCut) {
      stream.destroy()
      return
    }
    const connection = new ClientConnection(this, stream, outer, connectHeaders)
    this.#connections.add(connection)
    // It connected before the socket closed, or comes through a draining connection.
    if (this.#gone) connection.retire()
    stream.on('close', () => this.#remove(connection))
    const { maxConnectionDurationMs } = this.served.bind.frontend.http
    if (maxConnectionDurationMs) {
      const timer = setTimeout(() => {
        // Protocol not detected yet: nothing to wait for.
        if (connection.driver) connection.driver.close()
        else stream.destroy()
      }, maxConnectionDurationMs)
      stream.on('close', () => clearTimeout(timer))
    }
    acceptConnection(this, connection)
  }

  /** Counts a connection whose protocol is known, and over TLS also its listener. */
  opened(
    connection: ClientConnection,
    protocol: ConnectionProtocol,
    listener: CompiledListener | undefined,
  ): void {
    const { connections: events, log } = this.serving.hooks
    if (!events && !log?.debug) return
    const { bind, only } = this.served
    const { gateway, listener: name } = (listener ?? only)?.labels ?? bind.labels
    const labels: ConnectionLabels = { bind: this.key, gateway, listener: name, protocol }
    logOpened(log, connection, labels)
    if (!events) return
    connection.labels = labels
    events.opened(labels)
  }

  /** Proxies a connection as it is, by the TCP routes of a listener. */
  passOn(
    connection: ClientConnection,
    listener: CompiledListener | undefined,
    stream: Duplex,
    serverName?: string,
  ): void {
    const { snapshot, bind } = this.served
    const { labels, frontend } = listener ?? bind
    const driver = new TcpProxy(stream, new TcpSession(connection, snapshot, labels, serverName, frontend), {
      dialler: this.serving.tcp,
      idleTimeoutMs: bind.frontend.http.idleTimeoutMs,
      hops: this.serving.tcpHops,
      maxHops: bind.frontend.http.maxHops,
      ended: (session) => {
        this.#raw.delete(driver)
        this.serving.hooks.rawEnded?.(session)
        this.#checkGone()
      },
    })
    connection.attach(driver)
    this.#raw.add(driver)
    driver.start(listener?.tcpTarget(serverName, connection))
  }

  async #acceptTheRest(): Promise<void> {
    const until = performance.now() + GRACE_MS
    for (let idleTurns = 0; idleTurns < 2 && performance.now() < until && !this.#isCut;) {
      const before = this.#accepted
      await new Promise((resolve) => setImmediate(resolve))
      idleTurns = this.#accepted === before ? idleTurns + 1 : 0
    }
    this.#server.close()
    this.#isClosed = true
    this.#checkGone()
  }

  #accept(socket: Socket): void {
    this.#accepted++
    // A socket error also closes the socket; the close is handled.
    socket.on('error', () => undefined)
    const keepalives = this.served.bind.frontend.tcp?.keepalives
    if (keepalives) setKeepalives(socket, keepalives)
    this.begin(socket)
  }

  #closeWhenIdle(): void {
    this.http1.closeIdle()
    for (const connection of this.#connections) connection.closeWhenIdle()
  }

  #remove(connection: ClientConnection): void {
    this.#connections.delete(connection)
    const { labels, stream } = connection
    const { bytesRead = 0, bytesWritten = 0 } = stream as Partial<Socket>
    if (labels) this.serving.hooks.connections?.closed(labels, bytesRead, bytesWritten)
    logClosed(this.serving.hooks.log, connection, { bytesRead, bytesWritten })
    this.#checkGone()
  }

  #checkGone(): void {
    if (!this.#gone || !this.#isClosed || this.#connections.size + this.#raw.size > 0) return
    clearTimeout(this.#grace)
    this.http1.stop()
    this.#gone.resolve(undefined)
  }
}
