import type {
  BackendFacts,
  BasicAuthFacts,
  DestinationFacts,
  EnvFacts,
  IdentityFacts,
  MessageFacts,
  ProxyFacts,
  RequestFacts,
  ResponseFacts,
  RouteFacts,
  SourceFacts,
  WorkloadFacts,
} from './context.ts'
import { celError } from './failure.ts'
import { HeadersView } from './headers-view.ts'
import { llmRecordTypes } from './llm-record.ts'
import { mcpRecordTypes } from './mcp-record.ts'
import { duration, type Field, integer, nested, record, text } from './record.ts'

/** The client's request. */
export const requestRecord = record<RequestFacts>('Request', {
  method: text('Method, such as `GET`.', (r) => r.method),
  uri: text('Scheme, host, path and query. Has the query functions.', (r) => r.uri),
  host: text('Host, with the port if the client named one.', (r) => r.host),
  scheme: text('`http` or `https`.', (r) => r.scheme),
  path: text('Path without query, normalised.', (r) => r.path),
  pathAndQuery: text('Path and query. Has the query functions.', (r) => r.pathAndQuery),
  version: text('Such as `HTTP/1.1`.', (r) => r.version),
  ...messageFields<RequestFacts>('request'),
  startTime: timestamp('When the request came.', (r) => r.startTime),
  endTime: timestamp('When the exchange ended; absent before.', (r) => r.endTime),
})

/** The answer, whoever gave it. */
export const responseRecord = record<ResponseFacts>('Response', {
  code: integer('HTTP status.', (r) => r.code),
  grpcStatus: integer(
    'gRPC status; absent for other protocols, and before the trailers that say it.',
    (r) => r.grpcStatus,
  ),
  ...messageFields<ResponseFacts>('response'),
})

const identity = record<IdentityFacts>('Identity', {
  trustDomain: text('Trust domain.', (i) => i.trustDomain),
  namespace: text('Namespace.', (i) => i.namespace),
  serviceAccount: text('Service account.', (i) => i.serviceAccount),
})

const workload = record<WorkloadFacts>('Workload', {
  name: text('Name.', (w) => w.name),
  namespace: text('Namespace.', (w) => w.namespace),
  serviceAccount: text('Service account.', (w) => w.serviceAccount),
})

/** The client's connection. */
export const sourceRecord = record<SourceFacts>('Source', {
  address: text('Address of the client, after PROXY protocol.', (s) => s.address),
  port: integer('Port of the client, after PROXY protocol.', (s) => s.port),
  rawAddress: text('Address of the TCP peer.', (s) => s.rawAddress),
  rawPort: integer('Port of the TCP peer.', (s) => s.rawPort),
  identity: nested(identity, 'What the SPIFFE id of the client certificate says.', (s) => s.identity),
  spiffeId: text('SPIFFE id of the client certificate.', (s) => s.spiffeId),
  subjectAltNames: {
    type: 'list<string>',
    description: 'Alternative names of the client certificate.',
    read: (s) => s.subjectAltNames,
  },
  issuer: text('Issuer of the client certificate.', (s) => s.issuer),
  subject: text('Subject of the client certificate.', (s) => s.subject),
  subjectCn: text('Common name of the client certificate.', (s) => s.subjectCn),
  certificate: text('The client certificate, PEM.', (s) => s.certificate),
  unverifiedWorkload: nested(
    workload,
    'Who uses this address, as far as known. Not authenticated.',
    (s) => s.unverifiedWorkload,
  ),
  connectHeaders: {
    type: 'Headers',
    description: 'Headers of the CONNECT request this connection came through.',
    read: (s) => (s.connectHeaders ? new HeadersView(s.connectHeaders) : undefined),
  },
})

/** Where the client connected to. */
export const destinationRecord = record<DestinationFacts>('Destination', {
  address: text('Local address of the connection.', (d) => d.address),
  port: integer('Local port of the connection.', (d) => d.port),
  hostname: text('Server name of the TLS handshake.', (d) => d.hostname),
})

const gateway = record<{ namespace: string; name: string }>('ProxyGateway', {
  namespace: text('Namespace.', (g) => g.namespace),
  name: text('Name.', (g) => g.name),
})

const listener = record<{ name: string }>('ProxyListener', {
  name: text('Name.', (l) => l.name),
})

const route = record<RouteFacts>('ProxyRoute', {
  namespace: text('Namespace.', (r) => r.namespace),
  name: text('Name.', (r) => r.name),
  kind: text('Kind of the resource, such as `HTTPRoute`.', (r) => r.kind),
  rule: text('Name of the rule.', (r) => r.rule),
})

/** Where the exchange is in the gateway. */
export const proxyRecord = record<ProxyFacts>('Proxy', {
  bind: text('Name of the bind, such as `bind/3000`.', (p) => p.bind),
  gateway: nested(gateway, 'The gateway.', (p) => p.gateway),
  listener: nested(listener, 'The listener.', (p) => p.listener),
  route: nested(route, 'The route; absent before one is chosen.', (p) => p.route),
  requestProcessingDuration: duration('From admission to the call upstream.', (p) => p.requestProcessingMs),
  upstreamDuration: duration(
    'From the call upstream to the head of its answer; absent before.',
    (p) => p.upstreamMs,
  ),
  responseProcessingDuration: duration(
    'From the head of the upstream answer to the last byte sent; absent before.',
    (p) => p.responseProcessingMs,
  ),
})

/** The backend chosen for the request. */
export const backendRecord = record<BackendFacts>('Backend', {
  name: text('Name.', (b) => b.name),
  type: text('`ai`, `mcp`, `static`, `dynamic`, `service` or `unknown`.', (b) => b.type),
  protocol: text('`http`, `tcp`, `a2a`, `mcp` or `llm`.', (b) => b.protocol),
})

/** Facts about this process. */
export const envRecord = record<EnvFacts>('Env', {
  podName: text('Name of the pod: the variable `POD_NAME`.', (e) => e.podName),
  namespace: text('Namespace of the pod: `NAMESPACE`.', (e) => e.namespace),
  gateway: text('Name of the gateway: `GATEWAY`.', (e) => e.gateway),
})

/** Who proved to know a password. */
export const basicAuthRecord = record<BasicAuthFacts>('BasicAuth', {
  username: text('Name of the user.', (b) => b.username),
})

/** Every record type; the library learns each before the types that nest it. */
export const recordTypes = [
  requestRecord,
  responseRecord,
  identity,
  workload,
  sourceRecord,
  destinationRecord,
  gateway,
  listener,
  route,
  proxyRecord,
  backendRecord,
  envRecord,
  basicAuthRecord,
  ...llmRecordTypes,
  ...mcpRecordTypes,
] as const

function messageFields<F extends MessageFacts>(variable: string): Record<string, Field<F>> {
  // An error other than an absence: `default` and `has` must not make an oversized body look like no body.
  const unavailable = (what: string): never => {
    throw celError('body_unavailable', `${variable}.${what} was not buffered`)
  }
  return {
    headers: {
      type: 'Headers',
      description: 'Header fields, by name in any case.',
      read: (m) => new HeadersView(m.headers, m.sensitiveHeaders),
    },
    body: {
      type: 'bytes',
      description: 'The whole body. An error if it is larger than may be buffered.',
      read: (m) => m.body ?? unavailable('body'),
    },
    bodyPrefix: {
      type: 'bytes',
      description: 'The body, or as much of its beginning as may be buffered.',
      read: (m) => m.bodyPrefix ?? m.body ?? unavailable('bodyPrefix'),
    },
  }
}

function timestamp<F>(description: string, read: (facts: F) => Date | undefined): Field<F> {
  return { type: 'google.protobuf.Timestamp', description, read }
}
