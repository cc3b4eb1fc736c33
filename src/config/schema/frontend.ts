import { defaults } from '../defaults.ts'
import {
  atMostOneOf,
  cel,
  condition,
  duration,
  flag,
  formatted,
  listOf,
  mapOf,
  noEffect,
  notYet,
  ours,
  record,
  ref,
  text,
  whole,
  words,
} from './kinds.ts'
import type { Properties } from './kinds.ts'

const forwarded = record(
  'What happens to X-Forwarded-For, -Proto, -Host and Forwarded. Without it they pass as the client sent them, and nothing relies on them.',
  {
    mode: words(
      'Whether own values are added to what came, or put in its place.',
      ['append', 'overwrite'],
      defaults.forwarded.mode,
    ),
    trustedHops: whole(
      'How many proxies in front of this one are yours: their entries are believed.',
      0,
      64,
      defaults.forwarded.trustedHops,
    ),
  },
)

const path = record('How paths are read before they are matched. What is matched is what is forwarded.', {
  mergeSlashes: flag('Whether repeated slashes become one.', defaults.http.mergeSlashes),
  encodedSlashes: words(
    'Whether `%2F`, `%5C` and `\\` in a path are refused with 400, or kept as escapes that separate nothing.',
    ['refuse', 'keep'],
    defaults.http.encodedSlashes,
  ),
})

const { http: httpDefaults } = defaults
const http = record('How HTTP is spoken with clients.', {
  maxBufferSize: whole(
    'Longest body, in bytes, that is held in memory where a policy needs it whole.',
    0,
    1 << 30,
    httpDefaults.maxBufferSize,
  ),
  http1MaxHeaders: whole('Most headers of a request.', 1, 10_000, httpDefaults.maxHeaders),
  http1MaxHeaderSize: ours(
    whole('Largest head of an HTTP/1 request, in bytes.', 1024, 1 << 24, httpDefaults.maxHeaderSize),
  ),
  http1IdleTimeout: duration(
    'How long a connection may wait for its next request.',
    httpDefaults.idleTimeout,
  ),
  http1HeaderCase: words('How header names are written.', ['lowercase', 'preserve'], httpDefaults.headerCase),
  http2WindowSize: whole('Flow control window of a stream, in bytes.', 1, 2 ** 31 - 1),
  http2ConnectionWindowSize: whole('Flow control window of a connection, in bytes.', 65_535, 2 ** 31 - 1),
  http2FrameSize: whole('Largest frame, in bytes.', 16_384, 16_777_215),
  http2MaxHeaderSize: whole('Largest head of a request, in bytes.', 1024, 1 << 24),
  http2KeepaliveInterval: duration('Time between pings.'),
  http2KeepaliveTimeout: duration('How long a ping may stay unanswered.'),
  maxConnectionDuration: duration(
    'How old a connection may become. It ends after the request it is busy with.',
  ),
  headersTimeout: ours(
    duration('How long the head of a request may take. `0` is no limit.', httpDefaults.headersTimeout),
  ),
  requestBodyTimeout: ours(
    duration('How long the body of a request may take. `0` is no limit.', httpDefaults.requestBodyTimeout),
  ),
  halfCloseGrace: ours(
    duration(
      'How long a client that closed its sending side is served without a byte written.',
      httpDefaults.halfCloseGrace,
    ),
  ),
  upgrades: ours(
    listOf(formatted('upgradeToken', 'A protocol.'), 'Protocols that `Upgrade` may ask for.', {
      default: httpDefaults.upgrades,
    }),
  ),
  path: ours(ref('PathReading')),
  forwarded: ours(ref('Forwarded')),
})

const accessLog = record('The line written for each exchange.', {
  filter: condition('Which exchanges are logged. Default: all.'),
  add: mapOf(cel('Gives the value.'), 'Fields to add, or to replace.'),
  remove: listOf(text('A field.'), 'Fields to leave out.'),
  otlp: notYet({ description: 'Sends log lines to an OpenTelemetry collector.' }),
  database: noEffect({ description: 'Writes log lines to a database.', type: 'object' }),
})

const proxyProtocol = record('Reads a PROXY protocol header at the start of connections.', {
  version: words('Versions that are understood.', ['v1', 'v2', 'all'], 'v2'),
  mode: words('Whether the header must be there.', ['strict', 'optional'], 'strict'),
})

const admission = record('When work is refused with 503 `overloaded` instead of taken on.', {
  maxExchanges: whole('Most exchanges at a time.', 1, 10_000_000, defaults.admission.maxExchanges),
  lag: duration('A lag of the event loop that counts as overload.', defaults.admission.lag),
  lagFor: duration('How long it must last.', defaults.admission.lagFor),
})

const frontendPolicies = record(
  'Settings of connections, HTTP, logs and traces for the whole process.',
  {
    http: ref('FrontendHttp'),
    tls: ref('FrontendTls'),
    tcp: record(
      'Settings of TCP connections.',
      { keepalives: ref('Keepalives') },
      { required: ['keepalives'] },
    ),
    proxy: ref('ProxyProtocol'),
    proxyProtocol: ref('ProxyProtocol'),
    connect: record(
      'What happens to CONNECT requests: refused with 405, treated like any request, or tunnelled.',
      { mode: words('What happens.', ['deny', 'route', 'tunnel'], 'deny') },
      { required: ['mode'] },
    ),
    accessLog: ref('AccessLog'),
    logging: ref('AccessLog'),
    admission: ours(ref('Admission')),
    networkAuthorization: notYet({ description: 'Rules about which connections are taken.' }),
    networkExtAuthz: notYet({ description: 'Asks an external service about each connection.' }),
    tracing: notYet({ description: 'Sends traces to an OpenTelemetry collector.' }),
  },
  atMostOneOf(['proxy', 'proxyProtocol'], ['accessLog', 'logging']),
)

/** Definitions about clients, logs and admission. */
export const frontendDefinitions: Properties = {
  Forwarded: forwarded,
  PathReading: path,
  FrontendHttp: http,
  AccessLog: accessLog,
  ProxyProtocol: proxyProtocol,
  Admission: admission,
  FrontendPolicies: frontendPolicies,
}
