import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Connection, TlsFacts } from '../../model/connection.ts'
import type { CompiledListener } from '../../model/snapshot.ts'
import type { ConnectionLabels, Responder } from './gate.ts'
import type { Port } from './port.ts'

/** A client's connection while it is open: the facts that requests carry with them, and how far it has come. */
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
  /** The outermost stream: what is destroyed when the connection must go. */
  readonly socket: Duplex
  /** The TLS listener that the handshake chose; undefined for cleartext. */
  listener: CompiledListener | undefined = undefined
  /** Set once it is known what the connection speaks. */
  labels: ConnectionLabels | undefined = undefined
  /** The answerer of the HTTP/1.1 exchange under way; HTTP/2 has one per stream and keeps them itself. */
  responder: Responder | undefined = undefined
  /** The response of that exchange. */
  response: ServerResponse | undefined = undefined
  /** The next answer is the last. */
  closing = false
  /** Nothing more is read as a request: what came before it was broken. */
  refused = false
  /** Tells it to end when its exchanges have: GOAWAY, `Connection: close`, or at once if it is idle. */
  retire: () => void

  constructor(
    port: Port,
    socket: Duplex,
    outer: ClientConnection | undefined,
    connectHeaders?: readonly string[],
  ) {
    // A tunnel is a connection inside another one and has that one's addresses.
    const ends = outer ?? endsOf(socket as Socket)
    this.sourceAddress = ends.sourceAddress
    this.sourcePort = ends.sourcePort
    this.rawAddress = outer?.rawAddress ?? ends.sourceAddress
    this.rawPort = outer?.rawPort ?? ends.sourcePort
    this.destinationAddress = ends.destinationAddress
    this.destinationPort = ends.destinationPort
    this.connectHeaders = connectHeaders
    this.port = port
    this.socket = socket
    this.retire = () => socket.destroy()
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
