import { defaults } from '../defaults.ts'
import {
  cel,
  condition,
  duration,
  either,
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
import type { Properties, Schema } from './kinds.ts'

const any = (description: string): Schema => ({ description })
const string = (description: string): Schema => text(description)

/** Sections that name a control plane, a mesh or an identity in one. */
const mesh: Properties = {
  localXdsPath: notYet(string('Another file with the sections beside `config`.')),
  xdsAddress: notYet(string('The control plane.')),
  xdsAuthToken: notYet(string('Token file for the control plane.')),
  caAddress: notYet(string('The certificate authority of the mesh.')),
  caAuthToken: notYet(string('Token file for the certificate authority.')),
  trustDomain: notYet(string('The trust domain of this process.')),
  additionalTrustDomains: notYet(any('Further trust domains that are accepted.')),
  skipValidateTrustDomain: notYet(flag('Whether trust domains go unchecked.')),
  spiffe: notYet(record('The SPIFFE Workload API.', { endpoint: string('Its address.') })),
  namespace: noEffect(string('The namespace of this process.')),
  gateway: noEffect(string('The gateway that this process is.')),
  serviceAccount: noEffect(string('The service account of this process.')),
  clusterId: noEffect(string('The cluster of this process.')),
  network: noEffect(string('The network of this process.')),
  hbone: noEffect(
    record('Tunnels of the mesh.', {
      windowSize: whole('Window of a stream, in bytes.', 1),
      connectionWindowSize: whole('Window of a connection, in bytes.', 1),
      frameSize: whole('Largest frame, in bytes.', 1),
      poolMaxStreamsPerConn: whole('Streams in one connection.', 1),
      poolUnusedReleaseTimeout: duration('How long an unused connection is kept.'),
    }),
  ),
}

const logFields = record('Changes to log fields.', {
  remove: listOf(text('A field.'), 'Fields to leave out.'),
  add: mapOf(cel('Gives the value.'), 'Fields to add.'),
})

const logging = record('The log of the process.', {
  level: {
    ...either(
      'Least level that is written, or a list such as `info,config=debug`.',
      formatted('logLevel', 'A level, or several with commas.'),
      listOf(formatted('logLevel', 'A level.'), 'Levels.'),
    ),
    default: defaults.logLevel,
  },
  format: words('How lines are written.', ['text', 'json'], defaults.logFormat),
  filter: {
    ...condition('Which exchanges are logged. Now `frontendPolicies.accessLog.filter`.'),
    deprecated: true,
  },
  fields: {
    ...logFields,
    description: 'Fields of the access log. Now `frontendPolicies.accessLog`.',
    deprecated: true,
  },
  database: noEffect(any('A database for log lines.')),
})

const metrics = record('The metrics of the process.', {
  remove: listOf(
    text('A metric.', { minLength: 1 }),
    'Metrics to leave out, with or without `agentgateway_`, and with or without the unit and `_total`.',
  ),
  fields: record('Labels.', {
    add: mapOf(cel('Gives the value.'), 'Labels to add to metrics of requests.', {
      propertyNames: { format: 'metricLabel' },
    }),
  }),
})

const upstream = record('Connections to backends.', {
  keepalives: ref('Keepalives'),
  connectTimeout: duration('How long connecting may take.', defaults.upstream.connectTimeout),
  poolIdleTimeout: duration('How long an idle connection is kept.', defaults.upstream.poolIdleTimeout),
  poolMaxSize: whole('Most connections to one address. Default: no limit.', 1),
})

const processSettings = record('Settings of the process. Read once, when it starts.', {
  enableIpv6: flag('Whether IPv6 is used. The variable IPV6_ENABLED wins.', true),
  dns: record('Looking up names.', {
    lookupFamily: words(
      'Address families to ask for. The variable DNS_LOOKUP_FAMILY wins.',
      ['All', 'Auto', 'V4Preferred', 'V4Only', 'V6Only'],
      defaults.dnsLookupFamily,
    ),
    edns0: noEffect(flag('Whether queries use EDNS0.')),
  }),
  adminAddr: formatted(
    'serverAddress',
    'Where the admin server listens: `ip:port`, `localhost:port`, `unix:/path` or `off`. The variable ADMIN_ADDR wins.',
    {
      default: defaults.adminAddr,
    },
  ),
  statsAddr: formatted('serverAddress', 'Where metrics are served. The variable STATS_ADDR wins.', {
    default: defaults.statsAddr,
  }),
  readinessAddr: formatted('serverAddress', 'Where readiness is served. The variable READINESS_ADDR wins.', {
    default: defaults.readinessAddr,
  }),
  adminHosts: ours(
    listOf(
      formatted('host', 'A host.'),
      'Names, beside loopback ones, that may stand in `Host` and `Origin` of requests to the admin server.',
    ),
  ),
  connectionTerminationDeadline: duration(
    'Longest wait for exchanges when the process ends. The variable CONNECTION_TERMINATION_DEADLINE wins.',
    defaults.terminationDeadline,
  ),
  connectionMinTerminationDeadline: duration(
    'Shortest time between the start of the end and the end. The variable CONNECTION_MIN_TERMINATION_DEADLINE wins.',
    defaults.minTerminationDeadline,
  ),
  sensitiveHeaders: listOf(
    formatted('headerName', 'A header.'),
    'Headers that are never shown, beside those that never are.',
  ),
  logging: ref('ProcessLogging'),
  metrics: ref('ProcessMetrics'),
  backend: ref('UpstreamSettings'),
  ...mesh,
  customFunctions: formatted(
    'celFunctions',
    'Functions that all expressions may call: `name(a, b) { expression }`, one after the other.',
  ),
  tracing: notYet(any('Traces. Now `frontendPolicies.tracing`.')),
  modelCatalog: noEffect(listOf(any('A source.'), 'What language models cost.')),
  database: noEffect(
    record('A database for the web interface.', {
      url: text('Its address.', { minLength: 1 }),
      maxConnections: whole('Most connections.', 1, undefined, 5),
    }),
  ),
  storage: noEffect(
    record('Where the web interface keeps its changes.', {
      mode: words('Where.', ['file', 'hybrid', 'readOnly'], 'file'),
    }),
  ),
  standardAttributes: noEffect(
    record('Who a request counts for in the log database.', {
      user: cel('The user.'),
      group: cel('The group.'),
    }),
  ),
  histograms: noEffect(words('How histograms are exposed.', ['classic', 'native', 'both'], 'classic')),
  session: noEffect(record('Ids of MCP sessions.', { key: text('The key that seals them.') })),
  mcp: noEffect(record('MCP.', { sessionTtl: duration('How long an idle session is kept.', '30m') })),
  workerThreads: noEffect({
    description: 'Threads. Here one process does the work.',
    type: ['integer', 'string'],
  }),
})

/** Definitions about the section `config`. */
export const processDefinitions: Properties = {
  ProcessSection: processSettings,
  ProcessLogging: logging,
  ProcessMetrics: metrics,
  UpstreamSettings: upstream,
}
