import type { ServerResponse } from 'node:http'
import type { ServerHttp2Stream } from 'node:http2'
import type { Observer, Subscription } from 'rxjs'
import type { Exchange } from '../../../model/exchange/exchange.ts'
import type { ModuleLog } from '../../../model/log/module-log.ts'
import type { TraceSource } from '../../../model/trace/probe.ts'
import type { RawSession } from '../../../model/exchange/raw-session.ts'
import type { Reply } from '../../../model/exchange/reply.ts'
import type { RouteLabels } from '../../../model/resources/snapshot.ts'
import type { TcpDialler } from '../../../upstream/connect/tcp.ts'
import type { UdpDialler } from '../../../upstream/connect/udp.ts'
import type { DropLabels, DatagramDropReason } from '../../udp/datagram-drop.ts'

/** Dependencies and callbacks of the ports. */
export interface PortHooks {
  readonly trace: TraceSource
  /** Called exactly once at the end of every exchange; its snapshot no longer counts it. */
  ended(x: Exchange): void
  /** Called exactly once at the end of every raw connection, proxied or refused, and of every session of datagrams. */
  readonly rawEnded?: ((session: RawSession) => void) | undefined
  /** Opens the upstream side of raw connections; without it they get default time-outs. */
  readonly tcp?: Pick<TcpDialler, 'connect'> | undefined
  /** Opens the upstream side of sessions of datagrams. */
  readonly udp?: Pick<UdpDialler, 'connect'> | undefined
  /** Connection events, for metrics. */
  readonly connections?: ConnectionEvents | undefined
  /** The log of connections. */
  readonly log?: ModuleLog | undefined
  /** Called with warnings for the operator, such as a certificate that does not load. */
  readonly warn?: ((message: string, fields: Readonly<Record<string, unknown>>) => void) | undefined
}

/** Metric labels of a connection. */
export interface ConnectionLabels {
  readonly bind: string
  readonly gateway: string | undefined
  readonly listener: string | undefined
  readonly protocol: ConnectionProtocol
}

/** Protocol of a connection, as metrics name it. */
export type ConnectionProtocol = 'http' | 'https' | 'tcp' | 'tls' | 'udp'

/** Receives the events of every connection and session of datagrams; one labels object per connection. */
export interface ConnectionEvents {
  opened(labels: ConnectionLabels): void
  closed(labels: ConnectionLabels, receivedBytes: number, sentBytes: number): void
  tlsHandshake(labels: ConnectionLabels, seconds: number): void
  /** A datagram of a client, or for it, was not passed on. */
  datagramDropped?(labels: DropLabels, reason: DatagramDropReason): void
  /**
   * A request was rejected before it became an exchange: its head was malformed. `status` 0: closed without a reply.
   */
  refused(labels: RouteLabels, status: number, code: string): void
}

/** Turns the reply of an exchange into bytes for its client; made by a sink. */
export interface Responder extends Observer<Exchange> {
  readonly x: Exchange
  /** Passes the exchange's only subscription: unsubscribing is the only way to cancel. */
  attach(run: Subscription): void
  /**
   * The request itself turned out malformed, or too slow: ends the run at once, so that the part sent upstream cannot
   * be taken for the whole. Sends `reply`, or cuts the connection if a head has been sent.
   */
  interrupt(reply: Reply): void
  /** The connection reached its maximum duration: ends the exchange if it is, or becomes, a tunnel to an upstream. */
  endTunnel?(reason: string): void
}

/** The sinks that write replies, by HTTP version. Each calls `ended` once, after the last byte or the cut. */
export interface Responders {
  readonly http1: (x: Exchange, res: ServerResponse, ended: (x: Exchange) => void) => Responder
  readonly http2: (x: Exchange, stream: ServerHttp2Stream, ended: (x: Exchange) => void) => Responder
}
