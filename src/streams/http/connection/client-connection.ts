import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Connection, TlsAttributes } from '../../../model/exchange/connection.ts'
import type { CompiledListener, ConnectionRules } from '../../../model/resources/snapshot.ts'
import type { Exchange } from '../../../model/exchange/exchange.ts'
import type { ConnectionActivity } from './connection-activity.ts'
import type { ConnectionLabels } from '../port/port-hooks.ts'
import type { PortServices } from '../port/port-services.ts'
import { plainAddress } from './plain-address.ts'

/** Serves what follows on a connection once its protocol is known. */
export interface ConnectionDriver {
  /**
   * Begins to drain. Exchanges under way continue, and so do requests sent before the client can know: they get a reply
   * that announces the end of the connection.
   */
  retire(): void
  /** The grace after `retire` is over: closes when the exchanges under way have ended, at once if there are none. */
  closeWhenIdle(): void
  /** As `closeWhenIdle`, for a connection that reached its maximum duration while the port stays open. */
  close(): void
  /** An exchange of the connection has ended. */
  ended(x: Exchange): void
  /** What it does now, made for each report. */
  activity(): ConnectionActivity
  /** Whether exchanges are under way, for connections whose clients may disappear without a close. */
  readonly isBusy?: boolean
  /** Closes at once; without it, destroying the connection is enough. */
  cut?(): void
}

/** A client's connection while it is open: the attributes that its requests carry, and the driver that serves it. */
export class ClientConnection implements Connection {
  sourceAddress: string
  sourcePort: number
  readonly rawAddress: string
  readonly rawPort: number
  destinationAddress: string
  destinationPort: number
  tls: TlsAttributes | undefined = undefined
  readonly connectHeaders: readonly string[] | undefined
  /** `performance.now()` when it was accepted. */
  readonly startedAt = performance.now()
  readonly port: PortServices
  /** Destroyed to close the connection: the socket, or the tunnel it came through. */
  readonly stream: Duplex
  /** The rules in force when the connection was accepted. */
  readonly rules: ConnectionRules | undefined
  /** The listener that the handshake chose; undefined for cleartext. */
  listener: CompiledListener | undefined = undefined
  /** Set once the protocol is known. */
  labels: ConnectionLabels | undefined = undefined
  #driver: ConnectionDriver | undefined = undefined
  #isRetired = false
  cutBecause: string | undefined = undefined

  /** @param outer The connection that a tunnel goes through: its addresses are the tunnel's. */
  constructor(
    port: PortServices,
    stream: Duplex,
    outer: Connection | undefined,
    connectHeaders: readonly string[] | undefined,
  ) {
    const ends = outer ?? endsOf(stream as Socket)
    this.sourceAddress = ends.sourceAddress
    this.sourcePort = ends.sourcePort
    this.rawAddress = outer?.rawAddress ?? ends.sourceAddress
    this.rawPort = outer?.rawPort ?? ends.sourcePort
    this.destinationAddress = ends.destinationAddress
    this.destinationPort = ends.destinationPort
    this.connectHeaders = connectHeaders
    this.port = port
    this.rules = port.served.bind.connections
    this.stream = stream
  }

  get driver(): ConnectionDriver | undefined {
    return this.#driver
  }

  /** The protocol of the connection is known. */
  attach(driver: ConnectionDriver): void {
    this.#driver = driver
    if (this.#isRetired) driver.retire()
  }

  /** Calls `closed` once the connection is closed. */
  onClose(closed: () => void): void {
    if (this.stream.closed) queueMicrotask(closed)
    else this.stream.once('close', closed)
  }

  /** Begins to drain. A connection without bytes so far may be about to send a request. */
  retire(): void {
    this.#isRetired = true
    this.#driver?.retire()
  }

  /** Closes when its exchanges have ended; at once if nothing has begun. */
  closeWhenIdle(): void {
    if (this.#driver) this.#driver.closeWhenIdle()
    else this.stream.destroy()
  }
}

/** Addresses of both ends, for as long as the socket is connected; empty for unix sockets. */
const endsOf = (socket: Socket) => ({
  sourceAddress: plainAddress(socket.remoteAddress),
  sourcePort: socket.remotePort ?? 0,
  destinationAddress: plainAddress(socket.localAddress),
  destinationPort: socket.localPort ?? 0,
})
