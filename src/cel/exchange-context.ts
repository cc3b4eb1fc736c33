import { BufferBody, type Body } from '../model/body.ts'
import type { ClientCertificate, Connection } from '../model/connection.ts'
import type { Exchange } from '../model/exchange.ts'
import { Headers } from '../model/headers.ts'
import type { Reply } from '../model/reply.ts'
import type {
  BackendFacts,
  CelContext,
  DestinationFacts,
  EnvFacts,
  IdentityFacts,
  ProxyFacts,
  RequestFacts,
  ResponseFacts,
  SourceFacts,
} from './context.ts'

/** What holds for all exchanges of a process. */
export interface ProcessFacts {
  readonly env?: EnvFacts | undefined
  /** Every header whose value is a credential, lower-case; without it the default set. */
  readonly sensitiveHeaders?: ReadonlySet<string> | undefined
}

/**
 * An exchange as expressions see it, at the moment they are evaluated. Making one costs one object.
 *
 * Bodies are there once a stage has buffered them, which a stage before has to do for an expression whose `needs` say so.
 */
export class ExchangeContext implements CelContext {
  readonly #x: Exchange
  readonly #process: ProcessFacts

  constructor(x: Exchange, process: ProcessFacts = {}) {
    this.#x = x
    this.#process = process
  }

  get request(): RequestFacts {
    return new ExchangeRequest(this.#x, this.#process.sensitiveHeaders)
  }

  get response(): ResponseFacts | undefined {
    const { reply } = this.#x
    return reply && new ExchangeResponse(reply, this.#process.sensitiveHeaders)
  }

  get source(): SourceFacts {
    return sourceOf(this.#x.request.connection)
  }

  get destination(): DestinationFacts {
    const { destinationAddress, destinationPort, tls } = this.#x.request.connection
    return { address: destinationAddress, port: destinationPort, hostname: tls?.serverName }
  }

  get proxy(): ProxyFacts {
    return proxyOf(this.#x)
  }

  get backend(): BackendFacts | undefined {
    return this.#x.backend
  }

  get env(): EnvFacts {
    return this.#process.env ?? {}
  }

  get metadata(): object | undefined {
    return this.#x.metadata
  }
}

class ExchangeRequest implements RequestFacts {
  readonly #x: Exchange
  readonly sensitiveHeaders: ReadonlySet<string> | undefined

  constructor(x: Exchange, sensitiveHeaders: ReadonlySet<string> | undefined) {
    this.#x = x
    this.sensitiveHeaders = sensitiveHeaders
  }

  get method(): string {
    return this.#x.request.method
  }

  get uri(): string {
    const { scheme, authority, target } = this.#x.request
    return `${scheme}://${authority}${target}`
  }

  get host(): string {
    return this.#x.request.authority
  }

  get scheme(): string {
    return this.#x.request.scheme
  }

  get path(): string {
    return this.#x.request.path
  }

  get pathAndQuery(): string {
    return this.#x.request.target
  }

  get version(): string {
    return versions[this.#x.request.httpVersion]
  }

  get headers(): Headers {
    return this.#x.request.headers
  }

  get body(): Uint8Array | undefined {
    return bytesOf(this.#x.request.body)
  }

  get startTime(): Date {
    return new Date(this.#x.request.startTimeMs)
  }

  get endTime(): Date | undefined {
    return this.#x.endedAt ? new Date(performance.timeOrigin + this.#x.endedAt) : undefined
  }
}

class ExchangeResponse implements ResponseFacts {
  readonly #reply: Reply
  readonly sensitiveHeaders: ReadonlySet<string> | undefined

  constructor(reply: Reply, sensitiveHeaders: ReadonlySet<string> | undefined) {
    this.#reply = reply
    this.sensitiveHeaders = sensitiveHeaders
  }

  get code(): number {
    return this.#reply.status
  }

  get headers(): Headers {
    return this.#reply.headers
  }

  get body(): Uint8Array | undefined {
    return bytesOf(this.#reply.body)
  }

  get grpcStatus(): number | undefined {
    const status = this.#reply.headers.get('grpc-status')
    return status !== undefined && /^\d{1,9}$/.test(status) ? Number(status) : undefined
  }
}

const versions = { '1.0': 'HTTP/1.0', '1.1': 'HTTP/1.1', '2': 'HTTP/2.0' } as const

const noBytes = new Uint8Array(0)

/** The bytes of a body that is in memory. */
const bytesOf = (body: Body): Uint8Array | undefined => {
  if (body instanceof BufferBody) return body.bytes
  return body.lengthBytes === 0 ? noBytes : undefined
}

const sourceOf = (connection: Connection): SourceFacts => {
  const { sourceAddress, sourcePort, rawAddress, rawPort, tls, connectHeaders } = connection
  return {
    address: sourceAddress,
    port: sourcePort,
    rawAddress,
    rawPort,
    ...(tls?.client && certificateOf(tls.client)),
    connectHeaders:
      connectHeaders && new Headers(connectHeaders.map((part, i) => (i % 2 ? part : part.toLowerCase()))),
  }
}

const certificateOf = (client: ClientCertificate): Partial<SourceFacts> => ({
  identity: client.spiffeId === undefined ? undefined : identityOf(client.spiffeId),
  spiffeId: client.spiffeId,
  subjectAltNames: client.subjectAltNames,
  issuer: client.issuer,
  subject: client.subject,
  subjectCn: client.subjectCn,
  certificate: client.pem,
})

/** The parts of `spiffe://trust-domain/ns/namespace/sa/account`, the form that service meshes use. */
const identityOf = (spiffeId: string): IdentityFacts | undefined => {
  const [, trustDomain, namespace, serviceAccount] =
    /^spiffe:\/\/([^/]+)\/ns\/([^/]+)\/sa\/([^/]+)$/.exec(spiffeId) ?? []
  return trustDomain === undefined || namespace === undefined || serviceAccount === undefined
    ? undefined
    : { trustDomain, namespace, serviceAccount }
}

const proxyOf = ({
  labels,
  request,
  upstreamStartedAt,
  upstreamRepliedAt,
  endedAt,
}: Exchange): ProxyFacts => {
  const route = named(labels.route)
  return {
    bind: labels.bind,
    gateway: named(labels.gateway),
    listener: labels.listener === undefined ? undefined : { name: labels.listener },
    route: route && { ...route, rule: labels.routeRule },
    requestProcessingMs: between(request.startedAt, upstreamStartedAt),
    upstreamMs: between(upstreamStartedAt, upstreamRepliedAt),
    responseProcessingMs: between(upstreamRepliedAt, endedAt),
  }
}

/** Namespace and name of `namespace/name`. */
const named = (label: string | undefined): { namespace: string; name: string } | undefined => {
  if (label === undefined) return undefined
  const slash = label.indexOf('/')
  return { namespace: label.slice(0, Math.max(slash, 0)), name: label.slice(slash + 1) }
}

/** Milliseconds from one time to another; undefined unless both were. */
const between = (from: number, to: number): number | undefined => (from && to ? to - from : undefined)
