import { Exchange } from '../../../model/exchange/exchange.ts'
import { deny } from '../../../model/exchange/reply.ts'
import type { Request } from '../../../model/exchange/request.ts'
import type { Admission as Limits, FrontendPolicies } from '../../../model/resources/frontend-policies.ts'
import type {
  CompiledBind,
  CompiledListener,
  Pipeline,
  RouteLabels,
  Snapshot,
} from '../../../model/resources/snapshot.ts'
import type { RequestTracing, SamplingDecision } from '../../../model/tracing/request-tracing.ts'
import type { Probe } from '../../../model/trace/probe.ts'
import { ofExchange } from '../../../pipeline/of-exchange.ts'
import { onRequest } from '../../../pipeline/stage.ts'
import { appendHop, countHops } from '../../../protocols/http/cdn-loop.ts'
import { parseTraceParent } from '../../../protocols/trace-context.ts'
import type { Duplex } from 'node:stream'
import type { Connection } from '../../../model/exchange/connection.ts'
import { Turns } from '../connection/event-loop-turns.ts'
import { EventLoopLag } from './event-loop-lag.ts'
import { ListenerTable } from './listener-table.ts'
import type { PortHooks, Responder, Responders } from './port-hooks.ts'
import { TcpHops } from '../../tcp/tcp-hops.ts'
import { requiresClientCertificate } from '../tls/terminator.ts'
import type { TcpDialler } from '../../../upstream/connect/tcp.ts'
import type { UdpDialler } from '../../../upstream/connect/udp.ts'
import { DatagramSessions } from '../../udp/datagram-sessions.ts'
import { Registry } from '../../../upstream/registry.ts'

/** Counts the exchanges of the process; detects overload by their number or by the event loop's lag. */
export class ExchangeAdmission {
  inFlight = 0
  readonly lag = new EventLoopLag()
  #maxExchanges = Infinity

  set limits(limits: Limits) {
    this.#maxExchanges = limits.maxExchanges
    this.lag.limitMs = limits.lagMs
    this.lag.forMs = limits.lagForMs
  }

  /** Whether the exchange counted last exceeds the limits. */
  get isOverloaded(): boolean {
    return this.inFlight > this.#maxExchanges || this.lag.tooMuch
  }
}

/** The configuration that a port serves; a reload replaces it as a whole. */
export class ServedBind {
  readonly snapshot: Snapshot
  readonly bind: CompiledBind
  readonly listeners: ListenerTable
  readonly unmatched: ListenerMatch
  /** The listener, if there is only one. */
  readonly only: CompiledListener | undefined
  constructor(snapshot: Snapshot, bind: CompiledBind) {
    this.snapshot = snapshot
    this.bind = bind
    this.listeners = new ListenerTable(bind)
    this.only = bind.listeners.length === 1 ? bind.listeners[0] : undefined
    const { labels, frontend, tracing } = bind
    this.unmatched = { labels, pipeline: bind.unmatched, frontend, tracing }
  }
}

/** Where an exchange begins: a listener, or the reply for requests without one. */
export interface ListenerMatch {
  readonly labels: RouteLabels
  readonly pipeline: Pipeline
  readonly frontend: FrontendPolicies
  readonly tracing?: RequestTracing | undefined
  /** The policies in force, for the trace. */
  readonly effective?: CompiledListener['effective']
}

/** The part of a client's connection that serving its requests uses. */
export interface ServedConnection extends Connection {
  /** The listener that the TLS handshake chose; undefined for cleartext. */
  readonly listener: CompiledListener | undefined
  readonly driver: { ended(x: Exchange): void } | undefined
}

/** A bind at which tunnels of other connections end. */
export interface TunnelTarget {
  /**
   * Accepts a connection from inside a tunnel.
   *
   * @param outer The connection that the tunnel goes through.
   * @param connectHeaders Fields of the CONNECT request: name, value, name, value …
   */
  begin(stream: Duplex, outer: Connection, connectHeaders: readonly string[]): void
}

/** Creates, runs and counts exchanges; shared by all ports of a process. */
export class ExchangeServer {
  readonly hooks: PortHooks
  readonly responders: Responders
  /** Opens the upstream side of raw connections. */
  readonly tcp: Pick<TcpDialler, 'connect'>
  readonly tcpHops = new TcpHops()
  /** Opens the upstream side of sessions of datagrams. */
  readonly udp: Pick<UdpDialler, 'connect'>
  /** How often certificate files are checked, in milliseconds. */
  readonly certificateCheckMs: number
  readonly admission = new ExchangeAdmission()
  readonly datagramSessions = new DatagramSessions()
  /** Shared by the connections that have more work than fits into a turn of the event loop. */
  readonly turns = new Turns()
  /** The bind at which a tunnel to this port number ends. */
  tunnelTarget: (port: number) => TunnelTarget | undefined = () => undefined

  constructor(hooks: PortHooks, responders: Responders, certificateCheckMs: number) {
    this.hooks = hooks
    this.responders = responders
    this.tcp = hooks.tcp ?? new Registry().tcp
    this.udp = hooks.udp ?? new Registry().udp
    this.certificateCheckMs = certificateCheckMs
  }

  /** Creates the exchange of a request, and counts it; `run` must follow. */
  open(served: ServedBind, match: ListenerMatch, request: Request): Exchange {
    const x = new Exchange(request, served.snapshot, this.hooks.trace, match.labels, match.frontend)
    if (match.frontend.http.maxHops > 0) request.cdnLoop = appendHop(request.headers.get('cdn-loop'))
    served.snapshot.exchanges++
    this.admission.inFlight++
    const decision = match.tracing?.begin(x)
    if (x.probe && match.effective) traceListener(x.probe, decision ?? samplingOf(request), match.effective)
    return x
  }

  /** Runs the pipeline: one request, one root subscription. */
  run(x: Exchange, match: ListenerMatch, responder: Responder): void {
    const { cdnLoop } = x.request
    const isLoop = cdnLoop !== undefined && countHops(cdnLoop) > match.frontend.http.maxHops
    const pipeline = this.admission.isOverloaded ? overloaded : isLoop ? requestLoop : match.pipeline
    responder.attach(pipeline(ofExchange(x)).subscribe(responder))
  }

  /** Callback of every responder: the exchange has ended. */
  readonly ended = (x: Exchange): void => {
    this.admission.inFlight--
    x.snapshot.exchanges--
    this.hooks.ended(x)
    const { driver } = x.request.connection as ServedConnection
    driver?.ended(x)
  }
}

/** Trace events of a request that found its listener. */
const traceListener = (
  probe: Probe,
  decision: SamplingDecision,
  { listenerFrontend, gateway }: NonNullable<ListenerMatch['effective']>,
): void => {
  probe.record({ type: 'policySelection', phase: 'listenerFrontend', effectivePolicy: listenerFrontend })
  probe.record({ type: 'traceSampling', decision })
  probe.record({ type: 'policySelection', phase: 'gateway', effectivePolicy: gateway })
}

/** The decision if nothing is recorded here: that of the caller's trace context. */
const samplingOf = ({ headers }: Request): SamplingDecision => {
  const [parent = '', ...more] = headers.all('traceparent')
  return more.length === 0 && parseTraceParent(parent) ? 'sample (client)' : 'not sampled (random)'
}

/** The reply to a denied CONNECT, and to every other request on a bind for CONNECT. */
export const protocolNotAllowed = onRequest('connect', () =>
  deny(405, 'method_not_allowed', { message: 'method not allowed', reason: 'InvalidRequest' }),
)

/** The listener for a request on a connection. */
export const matchListener = (
  served: ServedBind,
  connection: ServedConnection,
  hostname: string,
): ListenerMatch => {
  if (served.bind.resource.tunnelProtocol === 'connect')
    return { ...served.unmatched, pipeline: protocolNotAllowed }
  if (!connection.tls) return served.listeners.cleartext(hostname) ?? served.unmatched
  const listener = served.listeners.encrypted(hostname)
  if (!listener) return served.unmatched
  // A client may reuse its connection for another host of the same certificate, but not past the handshake rules
  // (client certificates, versions) of the listener that host belongs to.
  const { listener: chosen } = connection
  if (listener === chosen) return listener
  if (listener.resource.key === chosen?.resource.key && !isLockedOut(listener, connection)) return listener
  const { labels, frontend, tracing } = listener
  return { labels, pipeline: misdirected, frontend, tracing }
}

/** Whether the listener has begun to require client certificates, and the connection is anonymous since before. */
const isLockedOut = ({ resource: { tls } }: CompiledListener, connection: ServedConnection): boolean =>
  tls !== undefined && connection.tls?.client === undefined && requiresClientCertificate(tls)

const overloaded = onRequest('admission', () =>
  deny(503, 'overloaded', { message: 'overloaded', reason: 'Overloaded', headers: { 'retry-after': '1' } }),
)
const requestLoop = onRequest('admission', () =>
  deny(508, 'request_loop', { message: 'request loop detected', reason: 'InvalidRequest' }),
)
const misdirected = onRequest('listener', () =>
  deny(421, 'misdirected_request', { message: 'misdirected request' }),
)
