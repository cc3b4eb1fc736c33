import { defaults } from '../defaults.ts'
import { adminProperties } from './admin.ts'
import {
  cel,
  duration,
  either,
  exactlyOne,
  flag,
  formatted,
  listOf,
  noEffect,
  notYet,
  ours,
  type Properties,
  record,
  ref,
  text,
  whole,
  words,
} from './builders.ts'
import { processLogging } from './logging.ts'
import { processMetrics } from './process-metrics.ts'

/** Settings of a control plane, a mesh or an identity in one. */
export const meshSettings: Properties = {
  localXdsPath: notYet(text('File with the sections beside `config`.')),
  xdsAddress: text(
    'Address of the control plane, as `https://host:port`, or `http://host:port` without TLS; without a scheme it is `https`. The resources that it sends are served beside those of this file. Requires `namespace` and `gateway`. Overridden by the environment variable XDS_ADDRESS.',
    { minLength: 1 },
  ),
  xdsAuthToken: text(
    'File with the token for the control plane, read for every connection. Default: `/var/run/secrets/xds-tokens/xds-token` if there is one. Overridden by the environment variable XDS_AUTH_TOKEN.',
    { minLength: 1 },
  ),
  xdsRootCa: ours(
    text(
      'File with the authorities that the certificate of the control plane is checked with, read for every connection, or `SYSTEM` for those of the system. Default: `/var/run/secrets/xds/root-cert.pem` if there is one, otherwise `SYSTEM`. Overridden by the environment variable XDS_ROOT_CA.',
      { minLength: 1 },
    ),
  ),
  caAddress: notYet(text("Address of the mesh's certificate authority.")),
  caAuthToken: notYet(text('File with the token for the certificate authority.')),
  trustDomain: notYet(text('Trust domain of this process.')),
  additionalTrustDomains: notYet({ description: 'Additional trust domains to accept.' }),
  skipValidateTrustDomain: notYet(flag('Whether to skip the validation of trust domains.')),
  spiffe: noEffect(record('The SPIFFE Workload API.', { endpoint: text('Address.') })),
  namespace: text(
    'Namespace of the gateway that this process belongs to, for the control plane. Overridden by the environment variable NAMESPACE.',
  ),
  gateway: text(
    'Gateway that this process belongs to, for the control plane. Overridden by the environment variable GATEWAY.',
  ),
  serviceAccount: noEffect(text('Service account of this process.')),
  clusterId: noEffect(text('Cluster of this process.')),
  network: noEffect(text('Network of this process.')),
  hbone: noEffect(
    record('Mesh tunnels (HBONE).', {
      windowSize: whole('Flow control window of a stream, in bytes.', 1),
      connectionWindowSize: whole('Flow control window of a connection, in bytes.', 1),
      frameSize: whole('Maximum frame size, in bytes.', 1),
      poolMaxStreamsPerConn: whole('Maximum streams per connection.', 1),
      poolUnusedReleaseTimeout: duration('How long an unused connection is kept open.'),
    }),
  ),
}

const sealKey = text('Key of 32 random bytes, as 64 hexadecimal digits.', { pattern: '^[0-9A-Fa-f]{64}$' })

const sealKeys = either(
  'Key that encrypts session data, or a list of keys for rotation: the first one encrypts, all of them decrypt. Default: a random key, so that all sessions end with a restart. Overridden by the environment variables OIDC_COOKIE_SECRET (login sessions) and SESSION_KEY.',
  sealKey,
  listOf(sealKey, 'List of keys.', { minItems: 1 }),
)

const upstream = record('Default settings of connections to backends.', {
  keepalives: ref('Keepalives'),
  connectTimeout: duration('Timeout for establishing a connection.', defaults.upstream.connectTimeout),
  poolIdleTimeout: duration(
    'How long an idle connection is kept in the pool.',
    defaults.upstream.poolIdleTimeout,
  ),
  poolMaxSize: whole('Maximum number of connections to one address. Default: no limit.', 1),
})

const processSettings = record('Process settings, read once at start.', {
  enableIpv6: flag('Whether IPv6 is used. Overridden by the environment variable IPV6_ENABLED.', true),
  dns: record('DNS resolution.', {
    lookupFamily: words(
      'Address families to resolve. Overridden by the environment variable DNS_LOOKUP_FAMILY.',
      ['All', 'Auto', 'V4Preferred', 'V4Only', 'V6Only'],
      defaults.dnsLookupFamily,
    ),
    edns0: noEffect(flag('Whether DNS queries use EDNS0.')),
  }),
  ...adminProperties,
  statsAddr: formatted(
    'serverAddress',
    'Listen address of the metrics endpoint. Overridden by the environment variable STATS_ADDR.',
    {
      default: defaults.statsAddr,
    },
  ),
  readinessAddr: formatted(
    'serverAddress',
    'Listen address of the readiness endpoint. Overridden by the environment variable READINESS_ADDR.',
    {
      default: defaults.readinessAddr,
    },
  ),
  connectionTerminationDeadline: duration(
    'How long active requests and connections may continue after a shutdown begins; then they are closed. Overridden by the environment variable CONNECTION_TERMINATION_DEADLINE.',
    defaults.terminationDeadline,
  ),
  connectionMinTerminationDeadline: duration(
    'Minimum time at the start of a shutdown during which no connection is closed: requests are served as usual while readiness fails, so that load balancers can remove this process. Part of `connectionTerminationDeadline`. Overridden by the environment variable CONNECTION_MIN_TERMINATION_DEADLINE.',
    defaults.minTerminationDeadline,
  ),
  sensitiveHeaders: listOf(
    formatted('headerName', 'Header name.'),
    'Additional headers whose values are redacted.',
  ),
  logging: ref('ProcessLogging'),
  metrics: ref('ProcessMetrics'),
  backend: ref('UpstreamSettings'),
  ...meshSettings,
  customFunctions: formatted(
    'celFunctions',
    'Functions that all expressions can call: a sequence of `name(a, b) { expression }`.',
  ),
  tracing: {
    ...ref('ProcessTracing', 'Traces of requests. Now `frontendPolicies.tracing`.'),
    deprecated: true,
  },
  modelCatalog: listOf(
    ref('ModelCatalogSource'),
    'Prices of language models, from one or more sources; for each model the last source applies. Reloaded with the configuration and whenever a file changes.',
  ),
  unknownPrice: ours(
    words(
      'Whether requests to models without a price in the catalog are allowed. `deny` refuses them, as well as requests whose cost cannot be determined in advance. Reloaded together with the catalog.',
      ['allow', 'deny'],
      defaults.llm.unknownPrice,
    ),
  ),
  database: noEffect(
    record('Database of the web interface.', {
      url: text('Address.', { minLength: 1 }),
      maxConnections: whole('Maximum number of connections.', 1, undefined, 5),
    }),
  ),
  storage: noEffect(
    record('Where the web interface stores changes.', {
      mode: words('Storage mode.', ['file', 'hybrid', 'readOnly'], 'file'),
    }),
  ),
  standardAttributes: noEffect(
    record('Attributes of requests in the log database.', {
      user: cel('User.'),
      group: cel('Group.'),
    }),
  ),
  histograms: words(
    'Buckets of histograms: `classic` ones, `native` ones, or both. Native ones are visible in the protobuf format only; the text formats then have count and sum.',
    ['classic', 'native', 'both'],
    defaults.metrics.histograms,
  ),
  session: record(
    'Encryption and routing of session data that clients hold: login cookies and MCP session ids.',
    {
      key: sealKeys,
      address: ours(
        formatted(
          'httpOrigin',
          'Address at which other replicas reach this process, such as `http://${POD_IP}:3000`: a dedicated port with the same routes. Replicas with the same key forward requests of MCP sessions that live in this process to it.',
        ),
      ),
    },
  ),
  mcp: record('MCP settings of the process.', {
    sessionTtl: duration(
      'Idle timeout of an MCP session. An open stream without requests counts as idle.',
      defaults.mcp.sessionTtl,
    ),
    maxPrograms: ours(
      whole(
        'Maximum number of stdio servers that run as child processes.',
        1,
        undefined,
        defaults.mcp.maxPrograms,
      ),
    ),
    maxProgramsPerTarget: ours(
      whole('Maximum number of child processes per target.', 1, undefined, defaults.mcp.maxProgramsPerTarget),
    ),
  }),
  workerThreads: noEffect({
    description: 'Number of worker threads. No effect: one process does all work.',
    type: ['integer', 'string'],
  }),
})

const catalogSource = record(
  'Prices of language models. `providers` maps provider names as in telemetry (`openai`, `anthropic`, `gcp.gemini`) to `models`, each with `rates`, `tiers` and `tags`. Rates are US dollars per million tokens, as decimal strings: `input`, `output`, `cacheRead`, `cacheWrite`, `reasoning`, `inputAudio`, `outputAudio`. The `rates` of a tier apply to prompts of more than `contextOver` tokens.',
  {
    file: text('Catalog file, JSON or YAML.', { minLength: 1 }),
    inline: { type: ['string', 'object'], description: 'Catalog as a string or an object.' },
  },
  exactlyOne('file', 'inline'),
)

/** Definitions of the section `config`. */
export const processDefinitions: Properties = {
  ProcessSection: processSettings,
  ProcessLogging: processLogging,
  ProcessMetrics: processMetrics,
  UpstreamSettings: upstream,
  ModelCatalogSource: catalogSource,
}
