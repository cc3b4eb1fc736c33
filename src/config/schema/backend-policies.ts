import { defaults } from '../defaults.ts'
import { laterPolicies } from './later-policies.ts'
import { cel, condition, duration, flag, record, ref, share, whole } from './kinds.ts'
import type { Properties } from './kinds.ts'

const keepalives = record('Probes on idle TCP connections.', {
  enabled: flag('Whether probes are sent.', defaults.keepalives.enabled),
  time: duration('Idle time before the first probe.', defaults.keepalives.time),
  interval: duration('Time between probes.', defaults.keepalives.interval),
  retries: whole('Unanswered probes before the connection is given up.', 1, 255, defaults.keepalives.retries),
})

const http = record('How HTTP is spoken with the backend.', {
  version: {
    description: 'The HTTP version. Default: what TLS negotiates, HTTP/2 for gRPC, otherwise HTTP/1.1.',
    enum: ['1.1', '2', 1.1, 2],
  },
  requestTimeout: duration('For one call: 504 `upstream call timeout` after it.'),
})

const tcp = record('How connections to the backend are made.', {
  keepalives: ref('Keepalives'),
  connectTimeout: duration('How long connecting may take.', defaults.policyConnectTimeout),
})

const health = record('When an endpoint counts as unhealthy, and what follows.', {
  unhealthyExpression: condition(
    'Whether an answer is a sign of bad health. Default: statuses from 500, no answer, gRPC statuses other than 0.',
  ),
  eviction: record('How long unhealthy endpoints get no requests.', {
    duration: duration(
      'For how long, multiplied by the number of times in a row. Default: what the answer asks for, or 3s.',
    ),
    restoreHealth: share('The health score an endpoint comes back with.'),
    consecutiveFailures: whole('Failures in a row that lead to eviction.', 1),
    healthThreshold: share('A health score below this leads to eviction.'),
  }),
})

const sessionAffinity = {
  ...record(
    'Sends requests with the same key to the same endpoint of a service.',
    { source: cel('Gives the key.') },
    { required: ['source'] },
  ),
}

const backendPolicies = record('What happens on the way to a backend.', {
  requestHeaderModifier: ref('HeaderModifier', 'Changes headers of requests.'),
  responseHeaderModifier: ref('HeaderModifier', 'Changes headers of answers.'),
  requestRedirect: ref('Redirect'),
  transformations: ref('Transformations'),
  backendTLS: ref('UpstreamTls'),
  backendAuth: ref('BackendAuth'),
  http: ref('UpstreamHttp'),
  tcp: ref('UpstreamTcp'),
  health: ref('Health'),
  sessionAffinity: ref('SessionAffinity'),
  authorization: ref('Authorization'),
  extAuthz: ref('ExtAuthz'),
  a2a: ref('A2a'),
  mcpAuthorization: ref('McpAuthorization'),
  mcpGuardrails: ref('McpGuardrails'),
  ai: ref('AiPolicy'),
  backendTunnel: ref('BackendTunnel'),
  ...laterPolicies('inferenceRouting'),
})

/** Definitions about policies of backends. */
export const backendPolicyDefinitions: Properties = {
  Keepalives: keepalives,
  UpstreamHttp: http,
  UpstreamTcp: tcp,
  Health: health,
  SessionAffinity: sessionAffinity,
  BackendPolicies: backendPolicies,
}
