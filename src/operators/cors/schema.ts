import {
  duration,
  flag,
  formatted,
  listOf,
  type Properties,
  record,
  text,
} from '../../config/schema/builders.ts'

/** Which other origins may read answers, and what browsers may send. Lists may hold `*`. */
export interface Cors {
  readonly allowOrigins: readonly string[]
  readonly allowMethods: readonly string[]
  readonly allowHeaders: readonly string[]
  readonly exposeHeaders: readonly string[]
  readonly allowCredentials: boolean
  readonly maxAgeMs?: number
}

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

/** Definitions about `cors`. */
export const corsDefinitions: Properties = { Cors: cors }
