import type { ExtAuthz, GrpcAuthz, HttpAuthz } from './schema.ts'
import type { Conditional } from '../../model/resources/policies.ts'
import { defaults } from '../../config/defaults.ts'
import type * as File from '../../config/schema/file-types.gen.ts'
import type { Context } from '../../config/normalize/context.ts'
import { definedFields, given } from '../../config/normalize/optional-fields.ts'
import { headerPairs, pairs } from '../headers/normalize.ts'
import { policyBackend } from '../../config/normalize/policy-backend.ts'

/** `extAuthz`, conditional or not. */
export function normalizeExtAuthz(policy: File.ConditionalExtAuthz, context: Context): Conditional<ExtAuthz> {
  if (!('conditional' in policy)) return plainExtAuthz(policy, context)
  return {
    conditional: policy.conditional.map((entry) => ({
      ...plainExtAuthz(entry, context),
      ...(entry.condition === undefined ? {} : { condition: entry.condition }),
    })),
  }
}

/** `extAuthz` without conditions. */
export function plainExtAuthz(policy: File.ExtAuthz, context: Context): ExtAuthz {
  const protocol = policy.protocol?.http ? overHttp(policy.protocol.http) : overGrpc(policy.protocol?.grpc)
  const copied = protocol.type === 'http' ? protocol.includeResponseHeaders : []
  return definedFields<ExtAuthz>({
    service: policyBackend(policy, context),
    protocol,
    failureMode: failureMode(policy.failureMode),
    includeRequestHeaders: lowerCase(policy.includeRequestHeaders),
    resultHeaders: [...new Set([...copied, ...lowerCase(policy.resultHeaders)])],
    includeRequestBody: given(policy.includeRequestBody, (body) => ({
      maxRequestBytes: body.maxRequestBytes ?? defaults.extAuthzBodyBytes,
      allowPartialMessage: body.allowPartialMessage ?? false,
      packAsBytes: body.packAsBytes ?? false,
    })),
    cache: given(policy.cache, ({ key, ttl, maxEntries }) => ({
      key,
      ttl,
      maxEntries: maxEntries ?? defaults.extAuthzCacheEntries,
    })),
  })
}

function overGrpc({ context, metadata }: File.ExtAuthzGrpc = {}): GrpcAuthz {
  return definedFields<GrpcAuthz>({ type: 'grpc', context: pairs(context), metadata: given(metadata, pairs) })
}

function overHttp(http: File.ExtAuthzHttp): HttpAuthz {
  return definedFields<HttpAuthz>({
    type: 'http',
    path: http.path,
    redirect: http.redirect,
    body: http.body,
    includeResponseHeaders: lowerCase(http.includeResponseHeaders),
    addRequestHeaders: headerPairs(http.addRequestHeaders),
    metadata: pairs(http.metadata),
  })
}

function failureMode(mode: File.ExtAuthz['failureMode'] = 'deny'): ExtAuthz['failureMode'] {
  if (mode === 'allow') return mode
  return mode === 'deny' ? { denyWithStatus: 403 } : mode
}

function lowerCase(names: readonly string[] = []): readonly string[] {
  return names.map((name) => name.toLowerCase())
}
