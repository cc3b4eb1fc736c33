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
  'Whether an answer is a sign of bad health. Default: statuses from 500, no answer, gRPC statuses other than 0.',
)

const eviction = record('How long unhealthy endpoints get no requests.', {
  duration: duration(
    'For how long, multiplied by the number of times in a row. Default: what the answer asks for, or 3s.',
  ),
  restoreHealth: share('The health score an endpoint comes back with.'),
  consecutiveFailures: whole('Failures in a row that lead to eviction.', 1),
  healthThreshold: share('A health score below this leads to eviction.'),
})

const checkHost = formatted('authority', 'The Host of the request. Default: the name of the backend.')

const httpCheck = record('Sends a GET and looks at the status of the answer.', {
  path: {
    ...formatted('requestTarget', 'The path, and the query if there is one.'),
    default: usual.path,
  },
  expect: listOf(
    either(
      'Statuses that are good: one, such as 204, a range, such as 200-299, or 2xx.',
      whole('A status.', 200, 599),
      formatted('statusRange', 'Several statuses.'),
    ),
    'Statuses that are good.',
    { minItems: 1, default: [usual.expect] },
  ),
  host: checkHost,
})

const grpcCheck = record('Calls `grpc.health.v1.Health/Check`, over HTTP/2. Good is `SERVING`.', {
  service: text('The service that is asked about. Default: the server as a whole.', { maxLength: 1024 }),
  host: checkHost,
})

const activeCheck = record(
  'Requests of the gateway’s own that show whether an endpoint can be used. An endpoint that fails them gets no requests. The first result counts at once; until it is there, an endpoint is used.',
  {
    http: httpCheck,
    grpc: grpcCheck,
    tcp: record('Connects, with the TLS handshake where the backend has one.', {}),
    interval: duration('Time from the end of a check to the next one, give or take a tenth.', usual.interval),
    timeout: duration('How long a check may take.', usual.timeout),
    healthyThreshold: whole(
      'Good checks in a row after which an endpoint is used again.',
      1,
      100,
      usual.healthyThreshold,
    ),
    unhealthyThreshold: whole(
      'Bad checks in a row after which an endpoint is not used.',
      1,
      100,
      usual.unhealthyThreshold,
    ),
  },
  exactlyOne('http', 'grpc', 'tcp'),
)

/** For backends with known endpoints; models of the section `llm` have no endpoints to check. */
const backendHealth = record(
  'When an endpoint counts as unhealthy, and what follows. On a route: that of its backends, where they say nothing.',
  {
    unhealthyExpression,
    eviction,
    active: ours(activeCheck),
    panicThreshold: ours(
      share(
        'While fewer than this share of the endpoints, or of the backends of a route, can be used, requests go to all of them. Default: only when none can be used.',
      ),
    ),
    slowStart: ours(
      duration(
        'An endpoint that is new, or comes back, gets a tenth of its share at first and all of it after this time. Default: all at once.',
      ),
    ),
  },
)

const loadBalancing = record(
  'How one of several is chosen for a request. On a backend: one of its endpoints. On a route: one of its backends, and of the endpoints of each, where the backend does not say.',
  {
    roundRobin: record('Each in its turn, by weight.', {}),
    leastRequest: record('The one with the fewest requests under way, in proportion to its weight.', {}),
    random: record('One drawn at random, by weight.', {}),
    ringHash: record(
      'The one that a key belongs to. When one leaves, only its keys move. Requests without a key are balanced in the usual way.',
      { key: cel('Gives the key.') },
      { required: ['key'] },
    ),
  },
  exactlyOne('roundRobin', 'leastRequest', 'random', 'ringHash'),
)

const sessionAffinity = record(
  'Sends requests with the same key to the same endpoint of a service.',
  { source: cel('Gives the key.') },
  { required: ['source'] },
)

/** Definitions about load balancing and health. */
export const balancingDefinitions: Properties = {
  Health: record('When a provider counts as unhealthy, and what follows.', { unhealthyExpression, eviction }),
  BackendHealth: backendHealth,
  LoadBalancing: loadBalancing,
  SessionAffinity: sessionAffinity,
}
