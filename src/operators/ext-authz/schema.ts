import { defaults } from '../../config/defaults.ts'
import {
  cel,
  either,
  exactlyOne,
  flag,
  formatted,
  listOf,
  mapOf,
  ours,
  type Properties,
  record,
  ref,
  text,
  whole,
  words,
} from '../../config/schema/builders.ts'
import { conditionalDefinitions } from '../../config/schema/conditional.ts'
import { onePolicyBackend, policyBackendFields } from '../../config/schema/policy-backend.ts'
import type { PolicyBackend } from '../../model/policies/policy-backend.ts'
import type { Cel } from '../../model/resources/policies.ts'
import { headerExpressions } from '../headers/schema.ts'

/** External authorization: a service allows or denies each request. */
export interface ExtAuthz {
  readonly service: PolicyBackend
  readonly protocol: GrpcAuthz | HttpAuthz
  /** What happens if the service fails: allow, or deny with this status. */
  readonly failureMode: 'allow' | { readonly denyWithStatus: number }
  /** Lower-case. For gRPC an empty list means all; over HTTP, Authorization is always sent. */
  readonly includeRequestHeaders: readonly string[]
  readonly includeRequestBody?: IncludedBody
  /** Headers that the service sets: values from clients are removed. Lower-case. */
  readonly resultHeaders: readonly string[]
  readonly cache?: AuthzCache
}

/** By Envoy's `Authorization` service. */
export interface GrpcAuthz {
  readonly type: 'grpc'
  readonly context: readonly (readonly [key: string, value: string])[]
  /** Undefined sends the claims of a verified token, as other proxies do. */
  readonly metadata?: readonly (readonly [namespace: string, value: Cel])[]
}

/** Decisions by HTTP status. */
export interface HttpAuthz {
  readonly type: 'http'
  readonly path?: Cel
  readonly redirect?: Cel
  readonly body?: Cel
  /** Response headers that are copied into the request. Lower-case. */
  readonly includeResponseHeaders: readonly string[]
  readonly addRequestHeaders: readonly (readonly [name: string, value: Cel])[]
  readonly metadata: readonly (readonly [key: string, value: Cel])[]
}

/** The part of the request body that is sent to the service. */
export interface IncludedBody {
  readonly maxRequestBytes: number
  /** Truncates longer bodies; otherwise they are refused. */
  readonly allowPartialMessage: boolean
  readonly packAsBytes: boolean
}

/** Which decisions are cached, and how long. */
export interface AuthzCache {
  readonly key: readonly Cel[]
  readonly ttl: Cel
  readonly maxEntries: number
}

const grpc = record('Authorization by gRPC (`envoy.service.auth.v3.Authorization`).', {
  context: mapOf(text('Value.'), 'Values sent as `context_extensions`.'),
  metadata: mapOf(
    cel('Expression that returns a map.'),
    'Metadata sent as `metadata_context`, by namespace. Default: the claims of a verified token, as `jwt_payload` in `envoy.filters.http.jwt_authn`.',
  ),
})

const http = record(
  'Authorization by HTTP status: 2xx allows the request; any other response is returned to the client.',
  {
    path: cel(
      'Expression that returns path and query of the callout request. Default: those of the request.',
    ),
    redirect: cel('Expression that returns a URL to which the client is redirected on 401 and 403.'),
    includeResponseHeaders: listOf(
      formatted('settableHeader', 'Header name.'),
      'Response headers of the service that are copied into the request. Values that the client sent under these names are removed.',
    ),
    addRequestHeaders: headerExpressions(
      'Headers to set in the callout request. A header whose expression fails is omitted. `:method`, `:path` and `:authority` set its method, path and host; if one of these fails, the request is refused.',
      'settableRequestField',
    ),
    metadata: mapOf(
      cel('Expression that returns the value. `response` is the response of the service.'),
      'Values that later expressions read as `extauthz.name`.',
    ),
    body: cel(
      'Expression that returns the body of the callout request. Default: the body as configured by `includeRequestBody`.',
    ),
  },
)

const extAuthz = record(
  'External authorization: a service allows or denies each request.',
  {
    ...policyBackendFields,
    protocol: record(
      'Protocol of the service. Default: `grpc`.',
      { grpc: ref('ExtAuthzGrpc'), http: ref('ExtAuthzHttp') },
      exactlyOne('grpc', 'http'),
    ),
    failureMode: either(
      'What happens to requests if the service fails or times out.',
      words('`deny`: 403. `allow`: the request continues.', ['deny', 'allow'], 'deny'),
      record(
        'Deny with a specific status.',
        { denyWithStatus: whole('Status code.', 400, 599) },
        { required: ['denyWithStatus'] },
      ),
    ),
    includeRequestHeaders: listOf(
      formatted('requestField', 'Header or pseudo-header name.'),
      'Request headers sent to the service. Default: all over gRPC; `Authorization` over HTTP, where it is always sent. Over gRPC, `:method`, `:path`, `:authority` and `:scheme` are sent as headers. Over HTTP, the callout request always has method and path of the request, and with `:authority` its host.',
    ),
    includeRequestBody: record('Sends the request body to the service. Default: no body.', {
      maxRequestBytes: whole(
        'Maximum number of body bytes to send.',
        1,
        undefined,
        defaults.extAuthzBodyBytes,
      ),
      allowPartialMessage: flag(
        'Whether a larger body is truncated. Otherwise the request is refused with 413.',
        false,
      ),
      packAsBytes: flag('Whether the body is sent as bytes instead of a string. gRPC only.', false),
    }),
    resultHeaders: ours(
      listOf(
        formatted('settableHeader', 'Header name.'),
        'Headers that the service may set: values from clients are removed from every allowed request. Over HTTP this includes `includeResponseHeaders`.',
      ),
    ),
    cache: record(
      'Cache of decisions.',
      {
        key: listOf(
          cel('Part of the cache key.'),
          'Expressions that form the cache key. If one fails, the service is called.',
          { minItems: 1 },
        ),
        ttl: cel(
          'Expression that returns the lifetime of a decision as a duration, or its expiry as a timestamp. Evaluated after the decision was applied; if it fails, the decision is not cached.',
        ),
        maxEntries: whole(
          'Maximum number of cached decisions.',
          1,
          10_000_000,
          defaults.extAuthzCacheEntries,
        ),
      },
      { required: ['key', 'ttl'] },
    ),
  },
  onePolicyBackend,
)

/** Definitions of external authorization. */
export const extAuthzDefinitions: Properties = {
  ExtAuthzGrpc: grpc,
  ExtAuthzHttp: http,
  ...conditionalDefinitions('ExtAuthz', extAuthz),
}
