import { defaults } from '../../../../config/defaults.ts'
import { frontendHttpDefinitions } from './http.ts'
import {
  atMostOneOf,
  cel,
  conditionField,
  duration,
  listOf,
  mapOf,
  noEffect,
  notYet,
  ours,
  type Properties,
  record,
  ref,
  text,
  whole,
  words,
} from '../../../../config/schema/builders.ts'

const accessLog = record('Access log: one record per exchange.', {
  filter: conditionField('Condition for exchanges to be logged. Default: all.'),
  add: mapOf(cel('Expression that returns the value.'), 'Fields to add or replace.'),
  remove: listOf(text('Field name.'), 'Fields to remove.'),
  otlp: notYet({ description: 'Exports access logs to an OpenTelemetry collector.' }),
  database: noEffect({ description: 'Writes access logs to a database.', type: 'object' }),
})

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

const frontendPolicies = record(
  'Process-wide settings of client connections, HTTP, logs and traces.',
  {
    http: ref('FrontendHttp'),
    tls: ref('FrontendTls'),
    tcp: record(
      'Settings of client TCP connections.',
      { keepalives: ref('Keepalives') },
      { required: ['keepalives'] },
    ),
    proxy: ref('ProxyProtocol'),
    proxyProtocol: ref('ProxyProtocol'),
    connect: record(
      'Handling of CONNECT requests: refused with 405 (`deny`), routed like other requests (`route`), or tunnelled (`tunnel`).',
      { mode: words('Mode.', ['deny', 'route', 'tunnel'], 'deny') },
      { required: ['mode'] },
    ),
    accessLog: ref('AccessLog'),
    logging: ref('AccessLog'),
    admission: ours(ref('Admission')),
    networkAuthorization: ref('NetworkAuthorization'),
    networkExtAuthz: notYet({ description: 'External authorization of connections.' }),
    tracing: notYet({ description: 'Exports traces to an OpenTelemetry collector.' }),
  },
  atMostOneOf(['proxy', 'proxyProtocol'], ['accessLog', 'logging']),
)

/** Definitions of client connections, logs and admission. */
export const frontendDefinitions: Properties = {
  ...frontendHttpDefinitions,
  AccessLog: accessLog,
  ProxyProtocol: proxyProtocol,
  Admission: admission,
  FrontendPolicies: frontendPolicies,
}
