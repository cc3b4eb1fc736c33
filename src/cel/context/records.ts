import type {
  BackendAttributes,
  BasicAuthAttributes,
  DestinationAttributes,
  EnvAttributes,
  IdentityAttributes,
  MessageAttributes,
  ProxyAttributes,
  HttpRequestAttributes,
  ResponseAttributes,
  RouteAttributes,
  SourceAttributes,
  WorkloadAttributes,
} from './context.ts'
import { celError } from '../engine/eval-error.ts'
import { HeadersView } from './headers-view.ts'
import { llmRecordTypes } from './llm-record.ts'
import { mcpRecordTypes } from './mcp-record.ts'
import { durationField, type Field, integer, nested, celRecordOf, textField } from './record.ts'

/** The client's request. */
export const requestRecord = celRecordOf<HttpRequestAttributes>('Request', {
  method: textField('Method, such as `GET`.', (r) => r.method),
  uri: textField('Scheme, host, path and query. Has the query functions.', (r) => r.uri),
  host: textField('Host, with the port if the client named one.', (r) => r.host),
  scheme: textField('`http` or `https`.', (r) => r.scheme),
  path: textField('Path without query, normalised.', (r) => r.path),
  pathAndQuery: textField('Path and query. Has the query functions.', (r) => r.pathAndQuery),
  version: textField('Such as `HTTP/1.1`.', (r) => r.version),
  ...messageFields<HttpRequestAttributes>('request'),
  startTime: timestamp('When the request came.', (r) => r.startTime),
  endTime: timestamp('When the exchange ended; absent before.', (r) => r.endTime),
})

/** The response, from the upstream or from the gateway. */
export const responseRecord = celRecordOf<ResponseAttributes>('Response', {
  code: integer('HTTP status.', (r) => r.code),
  grpcStatus: integer(
    'gRPC status; absent for other protocols, and before the trailers that say it.',
    (r) => r.grpcStatus,
  ),
  ...messageFields<ResponseAttributes>('response'),
})

const identity = celRecordOf<IdentityAttributes>('Identity', {
  trustDomain: textField('Trust domain.', (i) => i.trustDomain),
  namespace: textField('Namespace.', (i) => i.namespace),
  serviceAccount: textField('Service account.', (i) => i.serviceAccount),
})

const workload = celRecordOf<WorkloadAttributes>('Workload', {
  name: textField('Name.', (w) => w.name),
  namespace: textField('Namespace.', (w) => w.namespace),
  serviceAccount: textField('Service account.', (w) => w.serviceAccount),
})

/** The client's connection. */
export const sourceRecord = celRecordOf<SourceAttributes>('Source', {
  address: textField('Address of the client, after PROXY protocol.', (s) => s.address),
  port: integer('Port of the client, after PROXY protocol.', (s) => s.port),
  rawAddress: textField('Address of the TCP peer.', (s) => s.rawAddress),
  rawPort: integer('Port of the TCP peer.', (s) => s.rawPort),
  identity: nested(identity, 'What the SPIFFE id of the client certificate says.', (s) => s.identity),
  spiffeId: textField('SPIFFE id of the client certificate.', (s) => s.spiffeId),
  subjectAltNames: {
    type: 'list<string>',
    description: 'Alternative names of the client certificate.',
    read: (s) => s.subjectAltNames,
  },
  issuer: textField('Issuer of the client certificate.', (s) => s.issuer),
  subject: textField('Subject of the client certificate.', (s) => s.subject),
  subjectCn: textField('Common name of the client certificate.', (s) => s.subjectCn),
  certificate: textField('The client certificate, PEM.', (s) => s.certificate),
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

/** The address that the client connected to. */
export const destinationRecord = celRecordOf<DestinationAttributes>('Destination', {
  address: textField('Local address of the connection.', (d) => d.address),
  port: integer('Local port of the connection.', (d) => d.port),
  hostname: textField('Server name of the TLS handshake.', (d) => d.hostname),
})

const gateway = celRecordOf<{ namespace: string; name: string }>('ProxyGateway', {
  namespace: textField('Namespace.', (g) => g.namespace),
  name: textField('Name.', (g) => g.name),
})

const listener = celRecordOf<{ name: string }>('ProxyListener', {
  name: textField('Name.', (l) => l.name),
})

const route = celRecordOf<RouteAttributes>('ProxyRoute', {
  namespace: textField('Namespace.', (r) => r.namespace),
  name: textField('Name.', (r) => r.name),
  kind: textField('Kind of the resource, such as `HTTPRoute`.', (r) => r.kind),
  rule: textField('Name of the rule.', (r) => r.rule),
})

/** The bind, gateway, listener and route of the exchange. */
export const proxyRecord = celRecordOf<ProxyAttributes>('Proxy', {
  bind: textField('Name of the bind, such as `bind/3000`.', (p) => p.bind),
  gateway: nested(gateway, 'The gateway.', (p) => p.gateway),
  listener: nested(listener, 'The listener.', (p) => p.listener),
  route: nested(route, 'The route; absent before one is chosen.', (p) => p.route),
  requestProcessingDuration: durationField(
    'From admission to the call upstream.',
    (p) => p.requestProcessingMs,
  ),
  upstreamDuration: durationField(
    'From the call upstream to the head of its answer; absent before.',
    (p) => p.upstreamMs,
  ),
  responseProcessingDuration: durationField(
    'From the head of the upstream answer to the last byte sent; absent before.',
    (p) => p.responseProcessingMs,
  ),
})

/** The backend chosen for the request. */
export const backendRecord = celRecordOf<BackendAttributes>('Backend', {
  name: textField('Name.', (b) => b.name),
  type: textField('`ai`, `mcp`, `static`, `dynamic`, `service`, `internal` or `unknown`.', (b) => b.type),
  protocol: textField('`http`, `tcp`, `udp`, `a2a`, `mcp` or `llm`.', (b) => b.protocol),
})

/** Attributes of this process. */
export const envRecord = celRecordOf<EnvAttributes>('Env', {
  podName: textField('Name of the pod: the variable `POD_NAME`.', (e) => e.podName),
  namespace: textField('Namespace of the pod: `NAMESPACE`.', (e) => e.namespace),
  gateway: textField('Name of the gateway: `GATEWAY`.', (e) => e.gateway),
})

/** The user that basic authentication verified. */
export const basicAuthRecord = celRecordOf<BasicAuthAttributes>('BasicAuth', {
  username: textField('Name of the user.', (b) => b.username),
})

/** Every record type. A type must be registered before the types that nest it. */
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

function messageFields<F extends MessageAttributes>(variable: string): Record<string, Field<F>> {
  // An error other than an absence: `default` and `has` must not treat an oversized body as an absent one.
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

function timestamp<F>(description: string, read: (attributes: F) => Date | undefined): Field<F> {
  return { type: 'google.protobuf.Timestamp', description, read }
}
