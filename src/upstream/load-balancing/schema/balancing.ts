import { defaults } from '../../../config/defaults.ts'
import {
  cel,
  conditionField,
  duration,
  either,
  exactlyOne,
  formatted,
  listOf,
  ours,
  type Properties,
  record,
  share,
  text,
  whole,
} from '../../../config/schema/builders.ts'

const { active: usual } = defaults.health

const unhealthyExpression = conditionField(
  'Condition for a response to count as a failure. Default: status 5xx, no response, or a gRPC status other than 0.',
)

const eviction = record('Eviction of endpoints after failed calls.', {
  duration: duration(
    'Base eviction time, multiplied by the number of consecutive evictions, up to 5 minutes. Default: the retry delay in the response, else 3s.',
  ),
  restoreHealth: share('Health score after an eviction. Default: 1.'),
  consecutiveFailures: whole(
    'Consecutive failures that evict an endpoint. Default: 1, unless `healthThreshold` is set.',
    1,
  ),
  healthThreshold: share('Health score below which an endpoint is evicted.'),
})

const checkHost = formatted('authority', '`Host` header of the check. Default: the host of the backend.')

const httpCheck = record('HTTP check: sends a GET request and evaluates the status code.', {
  path: {
    ...formatted('requestTarget', 'Path, optionally with a query.'),
    default: usual.path,
  },
  expect: listOf(
    either(
      'Expected status: a code such as 204, a range such as 200-299, or a class such as 2xx.',
      whole('Status code.', 200, 599),
      formatted('statusRange', 'Range or class.'),
    ),
    'Status codes that count as success.',
    { minItems: 1, default: [usual.expect] },
  ),
  host: checkHost,
})

const grpcCheck = record(
  'gRPC check: calls `grpc.health.v1.Health/Check` over HTTP/2 and expects `SERVING`.',
  {
    service: text('Service name to check. Default: the whole server.', { maxLength: 1024 }),
    host: checkHost,
  },
)

const activeCheck = record(
  'Active health checks. Endpoints that fail them receive no requests. The first result takes effect at once; until then an endpoint is used.',
  {
    http: httpCheck,
    grpc: grpcCheck,
    tcp: record('TCP check: connects, with a TLS handshake if the backend uses TLS.', {}),
    interval: duration('Time from the end of a check to the next one, with 10% jitter.', usual.interval),
    timeout: duration('Timeout of a check.', usual.timeout),
    healthyThreshold: whole(
      'Consecutive successful checks before an endpoint is used again.',
      1,
      100,
      usual.healthyThreshold,
    ),
    unhealthyThreshold: whole(
      'Consecutive failed checks before an endpoint is no longer used.',
      1,
      100,
      usual.unhealthyThreshold,
    ),
  },
  exactlyOne('http', 'grpc', 'tcp'),
)

/** For backends with known endpoints; models of the section `llm` have none to check. */
const backendHealth = record('Health of endpoints. On a route: the default for its backends.', {
  unhealthyExpression,
  eviction,
  active: ours(activeCheck),
  panicThreshold: ours(
    share(
      'Panic threshold: while less than this fraction of the endpoints, or of the backends of a route, is available, requests go to all of them. Default: only when none is available.',
    ),
  ),
  slowStart: ours(
    duration(
      'Slow start: the share of a new or returning endpoint rises from a tenth to its full share over this time. Default: full share at once.',
    ),
  ),
})

const loadBalancing = record(
  'Load balancing policy; set exactly one field. On a backend: among its endpoints. On a route: among its backends, and among the endpoints of each backend without its own policy.',
  {
    roundRobin: record('Weighted round robin.', {}),
    leastRequest: record('Fewest active requests in proportion to the weight.', {}),
    random: record('Random, by weight.', {}),
    ringHash: record(
      'Consistent hashing by a key: when an endpoint is removed, only its keys move. Requests without a key are balanced in the default way.',
      { key: cel('Expression that returns the key.') },
      { required: ['key'] },
    ),
  },
  exactlyOne('roundRobin', 'leastRequest', 'random', 'ringHash'),
)

const sessionAffinity = record(
  'Sends requests with the same key to the same endpoint of a service.',
  { source: cel('Expression that returns the key.') },
  { required: ['source'] },
)

/** Definitions of health and load balancing. */
export const balancingDefinitions: Properties = {
  Health: record('Health of a provider.', { unhealthyExpression, eviction }),
  BackendHealth: backendHealth,
  LoadBalancing: loadBalancing,
  SessionAffinity: sessionAffinity,
}
