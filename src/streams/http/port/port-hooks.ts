import type { ServerResponse } from 'node:http'
import type { ServerHttp2Stream } from 'node:http2'
import type { Observer, Subscription } from 'rxjs'
import type { Exchange } from '../../model/exchange.ts'
import type { Trace } from '../../model/probe.ts'
import type { RawSession } from '../../model/raw-session.ts'
import type { Reply } from '../../model/reply.ts'
import type { RouteLabels } from '../../model/snapshot.ts'
import type { TcpDialler } from '../../upstream/tcp.ts'

/** What the ports need from the rest of the process; `main.ts` introduces them. */
export interface Gate {
  readonly trace: Trace
  /** Every exchange that began ends here, exactly once; its snapshot no longer counts it. */
  ended(x: Exchange): void
  /** Every raw connection that was passed on, or should have been, ends here, exactly once. */
  readonly rawEnded?: ((session: RawSession) => void) | undefined
  /** Opens the upstream side of raw connections; without it they get default time-outs. */
  readonly tcp?: Pick<TcpDialler, 'connect'> | undefined
  /** What happens to connections, for metrics. */
  readonly connections?: ConnectionEvents | undefined
  /** Told about things a person should know and nobody waits for, such as a certificate that does not load. */
  readonly warn?: ((message: string, facts: Readonly<Record<string, unknown>>) => void) | undefined
}

/** How a connection is labelled in metrics. */
export interface ConnectionLabels {
  readonly bind: string
  readonly gateway: string | undefined
  readonly listener: string | undefined
  readonly protocol: ConnectionProtocol
}

/** What a connection speaks, as metrics name it. */
export type ConnectionProtocol = 'http' | 'https' | 'tcp' | 'tls'

/** Told about every connection; one object of labels per connection. */
export interface ConnectionEvents {
  opened(labels: ConnectionLabels): void
  closed(labels: ConnectionLabels, receivedBytes: number, sentBytes: number): void
  tlsHandshake(labels: ConnectionLabels, seconds: number): void
  /** A request was refused before it could become an exchange: its head was broken. `status` 0: closed without answer. */
  refused(labels: RouteLabels, status: number, code: string): void
}

/** Turns the reply of an exchange into bytes for its client; made by a sink. */
export interface Responder extends Observer<Exchange> {
  /** Hands over the exchange's only subscription: ending it is the only way anything is cancelled. */
  attach(run: Subscription): void
  /**
   * The request itself turned out broken, or was too slow: ends the run at once, so that what went upstream cannot be
   * taken for the whole. Answers with `reply`, or cuts the connection if a head is out already.
   */
  interrupt(reply: Reply): void
  /** The connection has lasted long enough: ends the exchange if it is, or becomes, a tunnel to an upstream. */
  endTunnel?(reason: string): void
}

/** The sinks that answer clients, by what a client speaks. Each calls `ended` once, after the last byte or the cut. */
export interface Responders {
  readonly http1: (x: Exchange, res: ServerResponse, ended: (x: Exchange) => void) => Responder
  readonly http2: (x: Exchange, stream: ServerHttp2Stream, ended: (x: Exchange) => void) => Responder
}
