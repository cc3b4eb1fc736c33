import { defaults } from '../defaults.ts'
import { conditionalDefinitions } from './conditional.ts'
import { headerExpressions } from './headers.ts'
import {
  atMostOneOf,
  cel,
  condition,
  duration,
  flag,
  formatted,
  listOf,
  mapOf,
  record,
  ref,
  share,
  text,
  whole,
  words,
} from './kinds.ts'
import type { Properties } from './kinds.ts'

const cors = record(
  'Answers preflight requests and says which other sites may read answers. Without an `Origin` header it does nothing.',
  {
    allowOrigins: listOf(
      formatted('originPattern', 'An origin.'),
      'Origins that may call: `*`, exact ones, or with a wildcard host such as `https://*.example.com`.',
    ),
    allowMethods: listOf(text('A method.', { minLength: 1 }), 'Methods they may use, or `*`.'),
    allowHeaders: listOf(text('A header.', { minLength: 1 }), 'Headers they may send, or `*`.'),
    exposeHeaders: listOf(text('A header.', { minLength: 1 }), 'Headers of answers that scripts may read.'),
    allowCredentials: flag('Whether cookies and credentials may come along.', false),
    maxAge: duration('How long browsers may remember the answer to a preflight request.'),
  },
)

const csrf = record('Refuses requests that change something and come from pages of other sites.', {
  additionalOrigins: listOf(
    formatted('originPattern', 'An origin.'),
    'Origins that may send such requests, beside the own one.',
  ),
})

const mirror = record(
  'Sends a copy of requests to another destination and ignores its answers.',
  {
    backend: ref('BackendReference'),
    percentage: share('The share of requests that is copied, from 0 to 1.', 1),
  },
  { required: ['backend'] },
)

const directResponse = record(
  'Answers without a backend.',
  {
    status: whole('The status.', 200, 599),
    body: text('The body.'),
    bodyExpression: cel('Gives the body.'),
    headers: headerExpressions('Headers of the answer.', 'settableHeader'),
  },
  { required: ['status'], ...atMostOneOf(['body', 'bodyExpression']) },
)

const transformation = record(
  'Changes to one message, in the order metadata, replace, add, set, remove, body.',
  {
    metadata: mapOf(cel('Gives the value.'), 'Values that later expressions read as `metadata.name`.'),
    replace: cel('Gives all headers, as a map.'),
    add: headerExpressions('Headers to add.', 'settableOrPseudo'),
    set: headerExpressions(
      'Headers to set. An expression that fails removes its header.',
      'settableOrPseudo',
    ),
    remove: listOf(formatted('headerName', 'A header.'), 'Headers to remove.'),
    body: cel('Gives the body.'),
  },
)

const transformations = record('Changes requests and answers by expressions.', {
  request: ref('Transformation'),
  response: ref('Transformation'),
})

const timeout = record('Limits how long an exchange may take.', {
  requestTimeout: duration('For the whole exchange, bodies included: 504 `request timeout` after it.'),
  backendRequestTimeout: duration(
    'For one attempt, up to the head of the answer: 504 `upstream call timeout`.',
  ),
})

const retry = record(
  'Sends a request again when the answer was one of these, or there was none.',
  {
    attempts: whole('How many times after the first.', 1, 255, defaults.retryAttempts),
    codes: listOf(whole('A status.', 100, 599), 'Statuses worth another attempt.'),
    backoff: duration('How long to wait in between.'),
    precondition: condition('About the request: where it is false, there is one attempt only.'),
    condition: condition('About the answer: where it is true, it is tried again, whatever its status.'),
  },
  { required: ['codes'] },
)

const bufferSide = record('How one body is held back until it is complete.', {
  maxBytes: whole('Longest body. Default: `frontendPolicies.http.maxBufferSize`.', 0),
  failureMode: words(
    'What happens to longer ones: an error (413, or 502 for answers), or they pass unheld.',
    ['failClosed', 'failOpen'],
    'failClosed',
  ),
})

const buffer = record('Holds bodies back until they are complete.', {
  request: ref('BufferSide'),
  response: ref('BufferSide'),
})

const delay = record(
  'Waits before the request goes on.',
  {
    duration: formatted(
      'durationOrCel',
      'How long, or an expression that gives a duration or a number of milliseconds.',
    ),
  },
  { required: ['duration'] },
)

/** Definitions about policies of traffic. */
export const trafficDefinitions: Properties = {
  Cors: cors,
  Csrf: csrf,
  Mirror: mirror,
  ...conditionalDefinitions('DirectResponse', directResponse),
  Transformation: transformation,
  ...conditionalDefinitions('Transformations', transformations),
  Timeout: timeout,
  Retry: retry,
  BufferSide: bufferSide,
  Buffer: buffer,
  Delay: delay,
}
