import { defaults } from '../../../../config/defaults.ts'
import { frontendHttpDefinitions } from './http.ts'
import {
  atMostOneOf,
  cel,
  conditionField,
  duration,
  flag,
  formatted,
  listOf,
  mapOf,
  noEffect,
  notYet,
  ours,
  type Properties,
  record,
  ref,
  share,
  text,
  whole,
  words,
} from '../../../../config/schema/builders.ts'

const { payloads } = defaults

const accessLog = record('Access log: one record per exchange.', {
  file: ours(
    text(
      'File to append to, opened again on SIGUSR2 and SIGUSR1. Default: `config.logging.file`, else standard output.',
      { minLength: 1 },
    ),
  ),
  filter: conditionField('Condition for exchanges to be logged. Default: all.'),
  add: mapOf(cel('Expression that returns the value.'), 'Fields to add or replace.'),
  remove: listOf(text('Field name.'), 'Fields to remove.'),
  sampling: ours({
    description:
      'Which of the records that pass the filter are written: a share from 0 to 1, a boolean, or an expression that returns either. Where the expression cannot be evaluated, the record is written. Default: all.',
    type: ['number', 'boolean', 'string'],
    if: { type: 'number' },
    then: share('Share of the records.'),
    else: {
      description: 'All or none, or an expression.',
      type: ['boolean', 'string'],
      if: { type: 'boolean' },
      then: flag('All or none.'),
      else: formatted('celSampling', 'Expression that returns a share or a boolean.'),
    },
  }),
  keepErrors: ours(
    flag(
      'Whether failed exchanges are written regardless of `sampling`: those with a status of 500 or more, a gRPC status of a server error, or an incomplete response.',
      true,
    ),
  ),
  payloads: ours(ref('PayloadLog')),
  otlp: ref('OtlpAccessLog'),
  database: noEffect({ description: 'Writes access logs to a database.', type: 'object' }),
})

const payloadLog = record(
  'Log of prompts and completions of language models, one record for each request in a chat format.',
  {
    file: text('File to append to. Default: the destination of the access log.', { minLength: 1 }),
    filter: conditionField('Condition for exchanges to be logged. Default: all.'),
    prompt: {
      ...cel('Expression that returns what is logged of the prompt; null omits it.'),
      default: payloads.prompt,
    },
    completion: {
      ...cel('Expression that returns what is logged of the response; null omits it.'),
      default: payloads.completion,
    },
    toolCalls: {
      ...cel('Expression that returns what is logged of the tool calls; null omits them.'),
      default: payloads.toolCalls,
    },
    mask: listOf(
      ref('LlmRegexRule'),
      'Patterns whose matches are masked, as by the guard `regex`, in order.',
    ),
    maxBytes: whole(
      'Maximum size of prompt, completion and tool calls together, as JSON. Longer texts are cut.',
      256,
      1_048_576,
      payloads.maxBytes,
    ),
  },
)

const proxyProtocol = record('PROXY protocol: reads a header at the start of connections.', {
  version: words('Accepted versions.', ['v1', 'v2', 'all'], 'v2'),
  mode: words(
    '`strict`: connections without the header are closed. `optional`: the header may be absent.',
    ['strict', 'optional'],
    'strict',
  ),
})

const admission = record('Overload protection: limits above which exchanges get 503 `overloaded`.', {
  maxExchanges: whole(
    'Maximum number of concurrent exchanges.',
    1,
    10_000_000,
    defaults.admission.maxExchanges,
  ),
  lag: duration('Event loop lag that counts as overload.', defaults.admission.lag),
  lagFor: duration('How long the lag must persist before exchanges are refused.', defaults.admission.lagFor),
})

const tcp = record(
  'Settings of client TCP connections.',
  { keepalives: ref('Keepalives') },
  { required: ['keepalives'] },
)

const udp = ours(
  record('Settings of the sessions of UDP listeners.', {
    idleTimeout: duration(
      'Time without a datagram, in either direction, after which a session ends.',
      defaults.udp.idleTimeout,
    ),
    maxSessions: whole(
      'Maximum number of sessions of a port. Each has a socket of its own. Datagrams of further clients are dropped.',
      1,
      1_000_000,
      defaults.udp.maxSessions,
    ),
  }),
)

const connect = record(
  'Handling of CONNECT requests: refused with 405 (`deny`), routed like other requests (`route`), or tunnelled (`tunnel`).',
  { mode: words('Mode.', ['deny', 'route', 'tunnel'], 'deny') },
  { required: ['mode'] },
)

const metrics = record('Metrics of requests and raw connections.', {
  add: mapOf(
    cel('Expression that returns the value.'),
    'Labels to add. They replace equal ones of `config.metrics.fields.add`.',
    { propertyNames: { format: 'metricLabel' }, maxProperties: 64 },
  ),
})

const attachedFrontend = record(
  'Frontend policies of a gateway, of one of its ports, or of a listener. Each field replaces the same field of `frontendPolicies` and of outer levels as a whole: gateway, port, listener. `accessLog`, `tracing` and `metrics` concern the requests of the target; the others its connections, for which the listener is not known yet: they may not name one.',
  {
    http: ref('FrontendHttp', 'Limits and options of HTTP. `path` may be set in `frontendPolicies` only.'),
    tls: ref('FrontendTls'),
    tcp,
    udp,
    proxyProtocol: ref('ProxyProtocol'),
    networkAuthorization: ref('NetworkAuthorization'),
    connect,
    accessLog: ref('AccessLog'),
    tracing: ref('Tracing'),
    metrics: ref('FrontendMetrics'),
  },
  { minProperties: 1 },
)

const frontendPolicies = record(
  'Process-wide settings of client connections, HTTP, logs and traces.',
  {
    http: ref('FrontendHttp'),
    tls: ref('FrontendTls'),
    tcp,
    udp,
    proxy: ref('ProxyProtocol'),
    proxyProtocol: ref('ProxyProtocol'),
    connect,
    accessLog: ref('AccessLog'),
    logging: ref('AccessLog'),
    admission: ours(ref('Admission')),
    networkAuthorization: ref('NetworkAuthorization'),
    networkExtAuthz: notYet({ description: 'External authorization of connections.' }),
    tracing: ref('Tracing'),
    metrics: ours(ref('FrontendMetrics')),
  },
  atMostOneOf(['proxy', 'proxyProtocol'], ['accessLog', 'logging']),
)

/** Definitions of client connections, logs and admission. */
export const frontendDefinitions: Properties = {
  ...frontendHttpDefinitions,
  AccessLog: accessLog,
  FrontendMetrics: metrics,
  PayloadLog: payloadLog,
  ProxyProtocol: proxyProtocol,
  Admission: admission,
  FrontendPolicies: frontendPolicies,
  AttachedFrontend: attachedFrontend,
}
