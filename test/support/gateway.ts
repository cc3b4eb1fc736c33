import { connect, type Socket } from 'node:net'
import { pipe } from 'rxjs'
import { Pool } from 'undici'
import type { Exchange } from '../../src/model/exchange/exchange.ts'
import type { FrontendPolicies } from '../../src/model/resources/frontend-policies.ts'
import type { RawSession } from '../../src/model/exchange/raw-session.ts'
import { deny } from '../../src/model/exchange/reply.ts'
import type { Bind, Listener } from '../../src/model/resources/resources.ts'
import type {
  BackendLabels,
  CompiledBind,
  CompiledListener,
  RouteLabels,
  Snapshot,
  TcpTarget,
} from '../../src/model/resources/snapshot.ts'
import { backend } from '../../src/operators/backend/http.ts'
import { faultReply } from '../../src/pipeline/fault-reply.ts'
import { rescue } from '../../src/pipeline/rescue.ts'
import { onRequest, type Operator } from '../../src/pipeline/stage.ts'
import { ClientSink } from '../../src/sinks/client/http1-client.ts'
import { Http2ClientSink } from '../../src/sinks/client/http2-client.ts'
import type { ConnectionEvents, PortHooks } from '../../src/streams/http/port/port-hooks.ts'
import { openPorts, type PortFailure, type Ports } from '../../src/streams/http/port/ports.ts'
import { bareSnapshot } from '../../src/testing/bare-snapshot.ts'
import { callHttp } from '../../src/upstream/http/http1-pooled.ts'

/** Partial frontend policies; the rest are the defaults. */
export type FrontendParts = { readonly [Part in keyof FrontendPolicies]?: Partial<FrontendPolicies[Part]> }

export interface ListenerParts extends Partial<Listener> {
  readonly pipeline?: Operator
  readonly tcpTarget?: (serverName: string | undefined) => TcpTarget | undefined
}

export interface BindParts extends Partial<Omit<Bind, 'listeners' | 'frontend'>> {
  readonly listeners?: readonly ListenerParts[]
  readonly frontend?: FrontendParts
}

/** The listening side of a gateway with given binds, in this process. */
export interface TestGateway extends AsyncDisposable {
  readonly ports: Ports
  /** The number of started exchanges. */
  readonly began: number
  /** Completed exchanges, in order. */
  readonly ended: Exchange[]
  /** Completed raw connections, in order. */
  readonly rawEnded: RawSession[]
  readonly failures: readonly PortFailure[]
  /** Warnings of the gate. */
  readonly warnings: string[]
  /** The port of a bind, by default of the first. */
  port(key?: string): number
  /** A raw connection to a bind. */
  connect(key?: string): Socket
  /** Resolves with the next completed exchange, or with one that was not taken yet. */
  nextEnded(): Promise<Exchange>
  apply(binds: readonly BindParts[]): Promise<readonly PortFailure[]>
}

/** Opens `binds` on 127.0.0.1, each on a free port by default. */
export const startGateway = async (
  binds: readonly BindParts[],
  connections?: ConnectionEvents,
  tcp?: PortHooks['tcp'],
): Promise<TestGateway> => {
  const ended: Exchange[] = []
  const rawEnded: RawSession[] = []
  const warnings: string[] = []
  let began = 0
  const untaken: Exchange[] = []
  const waiting: ((x: Exchange) => void)[] = []
  const ports = openPorts(
    {
      trace: {
        probe: () => {
          began++
          return undefined
        },
      },
      ended: (x) => {
        ended.push(x)
        const next = waiting.shift()
        if (next) next(x)
        else untaken.push(x)
      },
      rawEnded: (session) => rawEnded.push(session),
      connections,
      tcp,
      warn: (message) => warnings.push(message),
    },
    {
      http1: (x, res, done) => new ClientSink(x, res, done),
      http2: (x, stream, done) => new Http2ClientSink(x, stream, done),
    },
    { ipv6Enabled: true, certificateCheckMs: 20 },
  )
  const failures = await ports.apply(snapshotOf(binds))
  const port = (key?: string): number => {
    const address = ports.addresses().find((one) => key === undefined || one.bind === key)
    if (!address || !('port' in address)) throw new Error(`${key ?? 'the first bind'} is not open`)
    return address.port
  }
  return {
    ports,
    get began() {
      return began
    },
    ended,
    rawEnded,
    failures,
    warnings,
    port,
    connect: (key) => connect(port(key), '127.0.0.1'),
    nextEnded: () => {
      const x = untaken.shift()
      return x ? Promise.resolve(x) : new Promise((resolve) => waiting.push(resolve))
    },
    apply: (next) => ports.apply(snapshotOf(next)),
    [Symbol.asyncDispose]: () => ports.drain(0),
  }
}

/** A snapshot of given binds. */
export const snapshotOf = (binds: readonly BindParts[]): Snapshot => {
  const compiled = binds.map(compile)
  return {
    ...bareSnapshot,
    hash: String(Math.random()),
    exchanges: 0,
    resources: {
      ...bareSnapshot.resources,
      binds: compiled.map((bind) => bind.resource),
      frontend: compiled[0]?.frontend ?? bareSnapshot.resources.frontend,
    },
    binds: new Map(compiled.map((bind) => [bind.resource.key, bind])),
  }
}

/** A pipeline that forwards to one origin, like a route with a single backend. */
export const forwardTo = (pool: Pool): Operator => {
  const labels: BackendLabels = { name: 'upstream', type: 'static', protocol: 'http' }
  const call = backend({
    labels,
    call: (x, events) =>
      callHttp(
        pool,
        {
          method: x.request.method,
          target: x.request.target,
          headers: x.request.headers.spelled(),
          body: x.request.body,
        },
        events,
      ),
  })
  return rescue(call, faultReply())
}

/** A pool with the gateway's settings. */
export const poolTo = (host: string): Pool =>
  new Pool(`http://${host}`, { connections: 8, pipelining: 1, allowH2: false })

/** A pipeline that replies itself. */
export const replying = (decide: Parameters<typeof onRequest>[1]): Operator =>
  rescue(pipe(onRequest('answer', decide)), faultReply())

const compile = (parts: BindParts, index: number): CompiledBind => {
  const { listeners = [{}], frontend = {}, ...rest } = parts
  const key = rest.key ?? `bind/${index}`
  const merged = mergeFrontend(frontend)
  const compiledListeners = listeners.map((one, i) => compileListener(one, key, i, merged))
  const labels = labelsOf(key, undefined)
  return {
    resource: {
      key,
      address: '127.0.0.1',
      port: 0,
      protocol: 'http',
      tunnelProtocol: 'direct',
      mode: 'standard',
      ...rest,
      listeners: compiledListeners.map((one) => one.resource),
    },
    frontend: merged,
    listeners: compiledListeners,
    labels,
    unmatched: onRequest('listener', () =>
      deny(404, 'listener_not_found', { message: 'listener not found' }),
    ),
  }
}

const compileListener = (
  parts: ListenerParts,
  bind: string,
  index: number,
  frontend: FrontendPolicies,
): CompiledListener => {
  const { pipeline, tcpTarget, ...rest } = parts
  const name = rest.listenerName ?? `listener${index}`
  return {
    resource: {
      key: `${bind}/${name}`,
      gatewayName: 'default',
      gatewayNamespace: 'default',
      listenerName: name,
      hostname: '',
      protocol: 'HTTP',
      policies: {},
      routes: [],
      tcpRoutes: [],
      ...rest,
    },
    labels: labelsOf(bind, name),
    frontend,
    pipeline: pipeline ?? replying(() => deny(404, 'route_not_found', { message: 'route not found' })),
    tcpTarget: tcpTarget ?? (() => undefined),
  }
}

const labelsOf = (bind: string, listener: string | undefined): RouteLabels => ({
  bind,
  gateway: listener === undefined ? undefined : 'default/default',
  listener,
  route: undefined,
  routeRule: undefined,
})

const mergeFrontend = (parts: FrontendParts): FrontendPolicies => {
  const base = bareSnapshot.resources.frontend
  return {
    ...base,
    ...parts,
    http: { ...base.http, ...parts.http },
    tls: { ...base.tls, ...parts.tls },
    connect: { ...base.connect, ...parts.connect },
    // A slow machine is no reason to refuse what tests send.
    admission: { ...base.admission, lagMs: 60_000, ...parts.admission },
  } as FrontendPolicies
}
