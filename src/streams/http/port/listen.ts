import type { Exchange } from '../../../model/exchange/exchange.ts'
import type { FrontendHttp } from '../../../model/resources/frontend-policies.ts'
import type { TraceSource } from '../../../model/trace/probe.ts'
import { deny } from '../../../model/exchange/reply.ts'
import type { Bind, Listener } from '../../../model/resources/resources.ts'
import type { TlsServer } from '../../../model/resources/tls-server.ts'
import type { CompiledListener, RouteLabels, Snapshot } from '../../../model/resources/snapshot.ts'
import { onRequest, type Operator } from '../../../pipeline/stage.ts'
import { defaultFrontend } from './default-frontend.ts'
import type { PortHooks, Responders } from './port-hooks.ts'
import { openPorts } from './ports.ts'
import { hostPortText } from '../../../protocols/ip/host-port.ts'

/** Address, limits and callbacks of a served pipeline. */
export interface ListenOptions {
  /** Writes replies to clients: `clientSinks` of `agentgateway/sinks`. */
  readonly responders: Responders
  /** By default 0, which opens any free port. */
  readonly port?: number
  /** An IP address, or `unix:/path`; by default every address. */
  readonly address?: string
  /** With a certificate the port serves HTTPS, and HTTP/2 by ALPN. */
  readonly tls?: TlsServer
  /** Receives the traces of exchanges. */
  readonly trace?: TraceSource & { ended(x: Exchange): void }
  /** Called once at the end of every exchange: for access logs. */
  readonly ended?: (x: Exchange) => void
  /** Limits and time-outs that differ from the defaults. */
  readonly http?: Partial<FrontendHttp>
  /** Called with warnings for the operator, such as a changed certificate that cannot be used. */
  readonly warn?: PortHooks['warn']
}

/** A listening server. */
export interface Listening extends AsyncDisposable {
  /** `http://127.0.0.1:8080`; `unix:/path` for a socket file. */
  readonly url: string
  /**
   * Stops accepting, and lets exchanges in flight finish.
   *
   * @param deadlineMs After this the rest is cut; by default 5 seconds.
   */
  close(deadlineMs?: number): Promise<void>
}

/**
 * Serves a pipeline on one port, without a configuration: HTTP/1.1, cleartext HTTP/2, and TLS if there is a
 * certificate.
 *
 * The pipeline gets each request as an exchange. Wrap stages that may throw in a `rescue`; otherwise clients get
 * `internal error`.
 *
 * @throws Error naming the address and the reason, if the port cannot be opened or the certificate cannot be used.
 * @example
 * const server = await listen(pipeline, { port: 8080, responders: clientSinks })
 * process.once('SIGTERM', () => void server.close())
 */
export const listen = async (pipeline: Operator, options: ListenOptions): Promise<Listening> => {
  const { responders, trace, ended, warn } = options
  const ports = openPorts(
    {
      trace: trace ?? noTrace,
      ended(x) {
        ended?.(x)
        trace?.ended(x)
      },
      warn,
    },
    responders,
    { ipv6Enabled: true },
  )
  const [failure] = await ports.apply(snapshotOf(pipeline, options))
  const [address] = ports.addresses()
  if (failure || !address) {
    await ports.drain(0)
    throw new Error(failure?.message ?? 'the port did not open', { cause: failure?.cause })
  }
  const close = (deadlineMs = DRAIN_MS) => ports.drain(deadlineMs)
  return {
    url: 'unix' in address ? `unix:${address.unix}` : urlOf(address.host, address.port, options.tls),
    close,
    [Symbol.asyncDispose]: () => close(),
  }
}

const DRAIN_MS = 5_000
const noTrace: TraceSource = { probe: () => undefined }

/** A snapshot with one bind, one listener and no routes: only the pipeline. */
const snapshotOf = (pipeline: Operator, { port = 0, address = '::', tls, http }: ListenOptions): Snapshot => {
  const frontend = { ...defaultFrontend, http: { ...defaultFrontend.http, ...http } }
  const key = address.startsWith('unix:') ? `bind/${address}` : `bind/${port}`
  const labels: RouteLabels = {
    bind: key,
    gateway: undefined,
    listener: 'pipeline',
    route: undefined,
    routeRule: undefined,
  }
  const listener: Listener = {
    key: 'pipeline',
    gatewayName: 'default',
    gatewayNamespace: 'default',
    listenerName: 'pipeline',
    hostname: '',
    protocol: tls ? 'HTTPS' : 'HTTP',
    ...(tls && { tls }),
    policies: {},
    routes: [],
    tcpRoutes: [],
  }
  const bind: Bind = {
    key,
    address,
    port,
    protocol: tls ? 'tls' : 'http',
    tunnelProtocol: 'direct',
    mode: 'standard',
    listeners: [listener],
  }
  const compiled: CompiledListener = {
    resource: listener,
    labels,
    frontend,
    pipeline,
    tcpTarget: () => undefined,
  }
  return {
    hash: 'pipeline',
    resources: { ...nothing, binds: [bind], frontend },
    binds: new Map([[key, { resource: bind, frontend, listeners: [compiled], labels, unmatched }]]),
    exchanges: 0,
  }
}

const nothing = { backends: [], policies: [], routeGroups: [], services: [], workloads: [], warnings: [] }
const unmatched = onRequest('listener', () =>
  deny(404, 'listener_not_found', { message: 'listener not found' }),
)

/** A server on every address is reached at the loopback address. */
const urlOf = (host: string, port: number, tls: TlsServer | undefined): string => {
  const name = host === '::' || host === '0.0.0.0' ? '127.0.0.1' : host
  return `${tls ? 'https' : 'http'}://${hostPortText(name, port)}`
}
