import {
  duration,
  flag,
  formatted,
  listOf,
  type Properties,
  record,
  text,
} from '../../config/schema/builders.ts'

/** Which other origins may read replies, and what browsers may send. Lists may contain `*`. */
export interface Cors {
  readonly allowOrigins: readonly string[]
  readonly allowMethods: readonly string[]
  readonly allowHeaders: readonly string[]
  readonly exposeHeaders: readonly string[]
  readonly allowCredentials: boolean
  readonly maxAgeMs?: number
}

const cors = record(
  'Cross-origin resource sharing: replies to preflight requests and adds CORS headers to responses. Requests without an `Origin` header are not affected.',
  {
    allowOrigins: listOf(
      formatted('originPattern', 'Origin or pattern.'),
      'Allowed origins: `*`, exact origins, or origins with a wildcard host such as `https://*.example.com`.',
    ),
    allowMethods: listOf(text('Method.', { minLength: 1 }), 'Allowed methods, or `*`.'),
    allowHeaders: listOf(text('Header name.', { minLength: 1 }), 'Allowed request headers, or `*`.'),
    exposeHeaders: listOf(text('Header name.', { minLength: 1 }), 'Response headers that scripts may read.'),
    allowCredentials: flag('Whether requests may include cookies and other credentials.', false),
    maxAge: duration('How long browsers may cache the reply to a preflight request.'),
  },
)

/** Definitions of `cors`. */
export const corsDefinitions: Properties = { Cors: cors }
