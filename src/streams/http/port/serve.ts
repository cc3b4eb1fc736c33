import { Exchange } from '../../model/exchange.ts'
import type { Probe } from '../../model/probe.ts'
import { deny } from '../../model/reply.ts'
import type { Request } from '../../model/request.ts'
import type { CompiledBind, CompiledListener, Pipeline, RouteLabels, Snapshot } from '../../model/snapshot.ts'
import { just } from '../../pipeline/just.ts'
import { onRequest } from '../../pipeline/stage.ts'
import { parseTraceParent } from '../../protocols/trace-context.ts'
import { Registry } from '../../upstream/registry.ts'
import type { TcpDialler } from '../../upstream/tcp.ts'
import { Admission } from './admission.ts'
import type { ClientConnection } from './client-connection.ts'
import type { Gate, Responder, Responders } from './gate.ts'
import { ListenerTable } from './listener-table.ts'
import type { Port } from './port.ts'

/** What a port serves at a moment; a new configuration replaces it as a whole. */
export class Served {
  readonly snapshot: Snapshot
  readonly bind: CompiledBind
  readonly listeners: ListenerTable
  readonly unmatched: Doorway
  /** The listener, if there is but one. */
  readonly only: CompiledListener | undefined
  constructor(snapshot: Snapshot, bind: CompiledBind) {
    this.snapshot = snapshot
    this.bind = bind
    this.listeners = new ListenerTable(bind)
    this.only = bind.listeners.length === 1 ? bind.listeners[0] : undefined
    this.unmatched = { labels: bind.labels, pipeline: bind.unmatched }
  }
}

/** Where an exchange begins: a listener, or an answer for what fits none. */
export interface Doorway {
  readonly labels: RouteLabels
  readonly pipeline: Pipeline
  /** The policies in force, for the trace. */
  readonly effective?: CompiledListener['effective']
}

/** Begins exchanges and sees them end: all ports of a process share one. */
export class Serving {
  readonly gate: Gate
  readonly responders: Responders
  /** Opens the upstream side of raw connections. */
  readonly tcp: Pick<TcpDialler, 'connect'>
  /** How often certificate files are looked at, in milliseconds. */
  readonly certificateCheckMs: number
  readonly admission = new Admission()
  /** The bind that a tunnel to this port number ends at. */
  tunnelTarget: (port: number) => Port | undefined = () => undefined

  constructor(gate: Gate, responders: Responders, certificateCheckMs: number) {
    this.gate = gate
    this.responders = responders
    this.tcp = gate.tcp ?? new Registry().tcp
    this.certificateCheckMs = certificateCheckMs
  }

  /** Makes an exchange of a request. It counts from now on; `run` must follow. */
  open(served: Served, doorway: Doorway, request: Request): Exchange {
    const x = new Exchange(request, served.snapshot, this.gate.trace, doorway.labels)
    served.snapshot.exchanges++
    this.admission.inFlight++
    if (x.probe && doorway.effective) show(x.probe, request, doorway.effective)
    return x
  }

  /** Runs the pipeline: one request, one root subscription. */
  run(x: Exchange, doorway: Doorway, responder: Responder): void {
    const pipeline = this.admission.isOverloaded ? overloaded : doorway.pipeline
    responder.attach(pipeline(just(x)).subscribe(responder))
  }

  /** The callback of every responder: the exchange is over. */
  readonly ended = (x: Exchange): void => {
    this.admission.inFlight--
    x.snapshot.exchanges--
    this.gate.ended(x)
    const { conversation } = x.request.connection as ClientConnection
    conversation?.ended()
  }
}

/** What watchers see of a request that found its listener. */
const show = (
  probe: Probe,
  request: Request,
  { listenerFrontend, gateway }: NonNullable<Doorway['effective']>,
): void => {
  probe.note({ type: 'policySelection', phase: 'listenerFrontend', effectivePolicy: listenerFrontend })
  probe.note({ type: 'traceSampling', decision: samplingOf(request) })
  probe.note({ type: 'policySelection', phase: 'gateway', effectivePolicy: gateway })
}

/** A caller that takes part in a trace decides, others are drawn by chance: none of them, unless it is configured. */
const samplingOf = ({ headers }: Request): 'sample (client)' | 'not sampled (random)' => {
  const [parent = '', ...more] = headers.all('traceparent')
  return more.length === 0 && parseTraceParent(parent) ? 'sample (client)' : 'not sampled (random)'
}

/** The answer to a CONNECT that is denied, and to everything else on a bind that is there for CONNECT. */
export const notAllowed = onRequest('connect', () =>
  deny(405, 'method_not_allowed', { message: 'method not allowed', reason: 'InvalidRequest' }),
)

/** The doorway for a request on a connection. */
export const doorwayOf = (served: Served, connection: ClientConnection, hostname: string): Doorway => {
  if (served.bind.resource.tunnelProtocol === 'connect')
    return { labels: served.bind.labels, pipeline: notAllowed }
  if (!connection.tls) return served.listeners.cleartext(hostname) ?? served.unmatched
  const listener = served.listeners.encrypted(hostname)
  if (!listener) return served.unmatched
  // A client may reuse its connection for another host of the same certificate, but not past the handshake rules
  // (client certificates, versions) of the listener that host belongs to.
  if (listener.resource.key === connection.listener?.resource.key) return listener
  return { labels: listener.labels, pipeline: misdirected }
}

const overloaded = onRequest('admission', () =>
  deny(503, 'overloaded', { message: 'overloaded', reason: 'Overloaded', headers: { 'retry-after': '1' } }),
)
const misdirected = onRequest('listener', () =>
  deny(421, 'misdirected_request', { message: 'misdirected request' }),
)
