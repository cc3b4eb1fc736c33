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

const accessLog = record('The line written for each exchange.', {
  filter: conditionField('Which exchanges are logged. Default: all.'),
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
    networkAuthorization: ref('NetworkAuthorization'),
    networkExtAuthz: notYet({ description: 'Asks an external service about each connection.' }),
    tracing: notYet({ description: 'Sends traces to an OpenTelemetry collector.' }),
  },
  atMostOneOf(['proxy', 'proxyProtocol'], ['accessLog', 'logging']),
)

/** Schema definitions for clients, logs and admission. */
export const frontendDefinitions: Properties = {
  ...frontendHttpDefinitions,
  AccessLog: accessLog,
  ProxyProtocol: proxyProtocol,
  Admission: admission,
  FrontendPolicies: frontendPolicies,
}
