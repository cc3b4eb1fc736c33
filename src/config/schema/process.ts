import { defaults } from '../defaults.ts'
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
  record,
  ref,
  text,
  whole,
  words,
} from './kinds.ts'
import type { Properties, Schema } from './kinds.ts'
import { processLogging } from './process-logging.ts'
import { meshSettings } from './process-mesh.ts'
import { processMetrics } from './process-metrics.ts'

const any = (description: string): Schema => ({ description })

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
