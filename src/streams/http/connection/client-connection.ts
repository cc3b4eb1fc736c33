import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Connection, TlsFacts } from '../../model/connection.ts'
import type { CompiledListener, ConnectionRules } from '../../model/snapshot.ts'
import type { ConnectionLabels } from './gate.ts'
import type { Port } from './port.ts'

/** What goes on over a connection, once it is known what it speaks. */
export interface Conversation {
  /** Ends when what is under way has ended, without beginning anything new. */
  retire(): void
  /** As `retire`, for one that has lasted long enough while the port goes on. */
  close(): void
  /** An exchange that came over it has ended. */
  ended(): void
  /** Ends at once; without it, destroying the connection is all there is to do. */
  cut?(): void
}

/** A client's connection while it is open: the facts that requests carry with them, and what goes on over it. */
export class ClientConnection implements Connection {
  sourceAddress: string
  sourcePort: number
  readonly rawAddress: string
  readonly rawPort: number
  destinationAddress: string
  destinationPort: number
  tls: TlsFacts | undefined = undefined
  readonly connectHeaders: readonly string[] | undefined
  readonly port: Port
  /** What is destroyed when the connection must go: the socket, or the tunnel it came through. */
  readonly stream: Duplex
  /** What decided, when it came, whether it is taken. */
  readonly rules: ConnectionRules | undefined
  /** The listener that the handshake chose; undefined for cleartext. */
  listener: CompiledListener | undefined = undefined
  /** Set once it is known what the connection speaks. */
  labels: ConnectionLabels | undefined = undefined
  conversation: Conversation | undefined = undefined
  cutBecause: string | undefined = undefined

  /** @param outer The connection that a tunnel goes through: its addresses are the tunnel's. */
  constructor(
    port: Port,
    stream: Duplex,
    outer: ClientConnection | undefined,
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

  /** Ends when its exchanges have; at once if nothing has begun. */
  retire(): void {
    if (this.conversation) this.conversation.retire()
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

/** A socket that serves both families shows IPv4 peers as IPv6 addresses; rules and logs want what they are. */
const plainAddress = (address: string | undefined): string =>
  address === undefined
    ? ''
    : address.startsWith('::ffff:') && address.includes('.')
      ? address.slice(7)
      : address
