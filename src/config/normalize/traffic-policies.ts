import type { BufferPolicy, BufferSide } from '../../model/buffer.ts'
import type {
  AuthorityChange,
  Conditional,
  Cors,
  Delay,
  DirectResponse,
  Mirror,
  PathChange,
  Redirect,
  Retry,
  Rewrite,
  Timeout,
  Transformation,
  Transformations,
} from '../../model/policies.ts'
import { defaults } from '../defaults.ts'
import type * as File from '../file-types.gen.ts'
import { parseDuration } from '../format/duration.ts'
import { normalPath } from '../format/path.ts'
import { milliseconds } from './context.ts'
import type { Context } from './context.ts'
import { defined, given } from './defined.ts'
import { headerPairs, pairs } from './headers.ts'
import { simpleBackend } from './references.ts'

/** `cors`, with empty lists where nothing is said. */
export function cors(policy: File.Cors): Cors {
  return defined<Cors>({
    allowOrigins: policy.allowOrigins ?? [],
    allowMethods: policy.allowMethods ?? [],
    allowHeaders: policy.allowHeaders ?? [],
    exposeHeaders: policy.exposeHeaders ?? [],
    allowCredentials: policy.allowCredentials ?? false,
    maxAgeMs: given(policy.maxAge, milliseconds),
  })
}

/** `requestRedirect`, with the usual status where none is said. */
export function redirect(policy: File.Redirect): Redirect {
  return defined<Redirect>({
    scheme: policy.scheme,
    authority: given(policy.authority, authorityChange),
    path: given(policy.path, pathChange),
    status: policy.status ?? defaults.redirectStatus,
  })
}

/** `urlRewrite`. */
export function rewrite(policy: File.Rewrite): Rewrite {
  return defined<Rewrite>({
    authority: given(policy.authority, authorityChange),
    path: given(policy.path, pathChange),
  })
}

/** `requestMirror`, which may be one or several. */
export function mirrors(policy: File.Mirror | readonly File.Mirror[]): readonly Mirror[] {
  const list = 'backend' in policy ? [policy] : policy
  return list.map(({ backend, percentage }) => ({
    backend: simpleBackend(backend),
    fraction: percentage ?? 1,
  }))
}

/** `directResponse`, conditional or not. */
export function directResponse(policy: File.ConditionalDirectResponse): Conditional<DirectResponse> {
  if ('conditional' in policy) {
    return {
      conditional: policy.conditional.map((entry) => ({ ...plainResponse(entry), ...condition(entry) })),
    }
  }
  return plainResponse(policy)
}

/** `transformations`, conditional or not. */
export function transformations(policy: File.ConditionalTransformations): Conditional<Transformations> {
  if ('conditional' in policy) {
    return {
      conditional: policy.conditional.map((entry) => ({
        ...plainTransformations(entry),
        ...condition(entry),
      })),
    }
  }
  return plainTransformations(policy)
}

/** `transformations` where no conditions are possible. */
export function plainTransformations(policy: File.Transformations): Transformations {
  return defined<Transformations>({
    request: given(policy.request, transformation),
    response: given(policy.response, transformation),
  })
}

/** `timeout`, in milliseconds. */
export function timeout(policy: File.Timeout): Timeout {
  return defined<Timeout>({
    requestTimeoutMs: given(policy.requestTimeout, milliseconds),
    backendRequestTimeoutMs: given(policy.backendRequestTimeout, milliseconds),
  })
}

/** `retry`, with one further attempt where no number is said. */
export function retry(policy: File.Retry): Retry {
  return defined<Retry>({
    attempts: policy.attempts ?? defaults.retryAttempts,
    codes: policy.codes,
    backoffMs: given(policy.backoff, milliseconds),
    precondition: policy.precondition,
    condition: policy.condition,
  })
}

/** `buffer`, with the limit of the process where none is said. */
export function buffer(policy: File.Buffer, { maxBufferBytes }: Context): BufferPolicy {
  const side = ({ maxBytes, failureMode }: File.BufferSide): BufferSide => ({
    maxBytes: maxBytes ?? maxBufferBytes,
    failureMode: failureMode ?? 'failClosed',
  })
  return defined<BufferPolicy>({
    request: given(policy.request, side),
    response: given(policy.response, side),
  })
}

/** `delay`: a duration if it reads like one, else an expression. */
export function delay({ duration }: File.Delay): Delay {
  const ms = parseDuration(duration)
  return { duration: ms === undefined ? { expression: duration } : { ms } }
}

function plainResponse(policy: File.DirectResponse): DirectResponse {
  return defined<DirectResponse>({
    status: policy.status,
    body: policy.body,
    bodyExpression: policy.bodyExpression,
    headers: headerPairs(policy.headers),
  })
}

function transformation(part: File.Transformation): Transformation {
  return defined<Transformation>({
    metadata: pairs(part.metadata),
    replace: part.replace,
    add: headerPairs(part.add),
    set: headerPairs(part.set),
    remove: (part.remove ?? []).map((name) => name.toLowerCase()),
    body: part.body,
  })
}

function condition(entry: { condition?: string }): { condition?: string } {
  return entry.condition === undefined ? {} : { condition: entry.condition }
}

function authorityChange(change: File.AuthorityChange): AuthorityChange {
  if (typeof change === 'string') return change
  if (change.full !== undefined) return { full: change.full }
  return change.host === undefined ? { port: change.port ?? 0 } : { host: change.host }
}

function pathChange({ full, prefix }: File.PathChange): PathChange {
  return full === undefined ? { prefix: normalPath(prefix ?? '') } : { full: normalPath(full) }
}
