import { defaults } from '../defaults.ts'
import {
  cel,
  conditionField,
  duration,
  either,
  exactlyOne,
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
  type SchemaNode,
  text,
  whole,
  words,
} from './builders.ts'

/** The metrics of the process: `config.metrics`. */
export const processMetrics = record('The metrics of the process.', {
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

/** Sections that name a control plane, a mesh or an identity in one. */
export const meshSettings: Properties = {
  localXdsPath: notYet(text('Another file with the sections beside `config`.')),
  xdsAddress: notYet(text('The control plane.')),
  xdsAuthToken: notYet(text('Token file for the control plane.')),
  caAddress: notYet(text('The certificate authority of the mesh.')),
  caAuthToken: notYet(text('Token file for the certificate authority.')),
  trustDomain: notYet(text('The trust domain of this process.')),
  additionalTrustDomains: notYet({ description: 'Further trust domains that are accepted.' }),
  skipValidateTrustDomain: notYet(flag('Whether trust domains go unchecked.')),
  spiffe: notYet(record('The SPIFFE Workload API.', { endpoint: text('Its address.') })),
  namespace: noEffect(text('The namespace of this process.')),
  gateway: noEffect(text('The gateway that this process is.')),
  serviceAccount: noEffect(text('The service account of this process.')),
  clusterId: noEffect(text('The cluster of this process.')),
  network: noEffect(text('The network of this process.')),
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

/** The log of the process: `config.logging`. */
export const processLogging = record('The log of the process.', {
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
    ...conditionField('Which exchanges are logged. Now `frontendPolicies.accessLog.filter`.'),
    deprecated: true,
  },
  fields: {
    ...logFields,
    description: 'Fields of the access log. Now `frontendPolicies.accessLog`.',
    deprecated: true,
  },
  database: noEffect({ description: 'A database for log lines.' }),
})

const any = (description: string): SchemaNode => ({ description })

const sealKey = text('A key: 32 random bytes as 64 hexadecimal digits.', { pattern: '^[0-9A-Fa-f]{64}$' })

const sealKeys = either(
  'The key that seals it, or several: the first one seals, all of them open. Without a key there is a random one, so that a restart ends all sessions. The variables OIDC_COOKIE_SECRET (for signing in) and SESSION_KEY win.',
  sealKey,
  listOf(sealKey, 'Keys.', { minItems: 1 }),
)

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
    'How long requests and connections under way may take once the process is told to end. What is left then is cut. The variable CONNECTION_TERMINATION_DEADLINE wins.',
    defaults.terminationDeadline,
  ),
  connectionMinTerminationDeadline: duration(
    'How much of that nothing is closed: clients are served as before, while readiness says no and load balancers get time to notice. The variable CONNECTION_MIN_TERMINATION_DEADLINE wins.',
    defaults.minTerminationDeadline,
  ),
  sensitiveHeaders: listOf(
    formatted('headerName', 'A header.'),
    'Headers that are never shown, beside those that never are.',
  ),
  logging: ref('ProcessLogging'),
  metrics: ref('ProcessMetrics'),
  backend: ref('UpstreamSettings'),
  ...meshSettings,
  customFunctions: formatted(
    'celFunctions',
    'Functions that all expressions may call: `name(a, b) { expression }`, one after the other.',
  ),
  tracing: notYet(any('Traces. Now `frontendPolicies.tracing`.')),
  modelCatalog: listOf(
    ref('ModelCatalogSource'),
    'What language models cost. Of several sources the later wins, model by model. Read again whenever the configuration or one of the files changes.',
  ),
  unknownPrice: ours(
    words(
      'Whether requests go to language models whose price the catalog does not have. With `deny` they are refused, and so are those of which nobody can know what they will cost. Read again as the catalog is.',
      ['allow', 'deny'],
      defaults.llm.unknownPrice,
    ),
  ),
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
  session: record('What clients keep for the gateway: who is signed in, and ids of MCP sessions.', {
    key: sealKeys,
    address: ours(
      formatted(
        'httpOrigin',
        'Where other replicas reach this one, such as `http://${POD_IP}:3000`: a port of its own that has the same routes. Requests for MCP sessions that only this process can go on with are passed on to it then, by any replica with the same key.',
      ),
    ),
  }),
  mcp: record('MCP.', {
    sessionTtl: duration(
      'How long a session is kept in which nothing is asked. Listening does not count.',
      defaults.mcp.sessionTtl,
    ),
    maxPrograms: ours(
      whole('Most servers that may run as programs of this process.', 1, undefined, defaults.mcp.maxPrograms),
    ),
    maxProgramsPerTarget: ours(whole('Most of one target.', 1, undefined, defaults.mcp.maxProgramsPerTarget)),
  }),
  workerThreads: noEffect({
    description: 'Threads. Here one process does the work.',
    type: ['integer', 'string'],
  }),
})

const catalogSource = record(
  'Prices of language models: `providers`, by name as telemetry has it (`openai`, `anthropic`, `gcp.gemini`), with `models`, each with `rates`, `tiers` and `tags`. Rates are US dollars for a million tokens, as decimal text: `input`, `output`, `cacheRead`, `cacheWrite`, `reasoning`, `inputAudio`, `outputAudio`. A tier has the `rates` of prompts of more than `contextOver` tokens.',
  {
    file: text('A file with a catalog, in JSON or YAML.', { minLength: 1 }),
    inline: { type: ['string', 'object'], description: 'A catalog, as text or as it is.' },
  },
  exactlyOne('file', 'inline'),
)

/** Definitions about the section `config`. */
export const processDefinitions: Properties = {
  ProcessSection: processSettings,
  ProcessLogging: processLogging,
  ProcessMetrics: processMetrics,
  UpstreamSettings: upstream,
  ModelCatalogSource: catalogSource,
}
