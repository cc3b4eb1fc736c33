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

/** Lets a service of somebody else's decide who may pass. */
export interface ExtAuthz {
  readonly service: PolicyBackend
  readonly protocol: GrpcAuthz | HttpAuthz
  /** What happens when the service cannot be asked: pass, or this status. */
  readonly failureMode: 'allow' | { readonly denyWithStatus: number }
  /** Lower-case. For gRPC an empty list means all; over HTTP, Authorization is always sent. */
  readonly includeRequestHeaders: readonly string[]
  readonly includeRequestBody?: IncludedBody
  /** Headers that the service sets: what the client sends under these names goes no further. Lower-case. */
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

/** By the status of an HTTP answer. */
export interface HttpAuthz {
  readonly type: 'http'
  readonly path?: Cel
  readonly redirect?: Cel
  readonly body?: Cel
  /** Of the answer, copied to the request. Lower-case. */
  readonly includeResponseHeaders: readonly string[]
  readonly addRequestHeaders: readonly (readonly [name: string, value: Cel])[]
  readonly metadata: readonly (readonly [key: string, value: Cel])[]
}

/** How much of a request body the service sees. */
export interface IncludedBody {
  readonly maxRequestBytes: number
  /** Shows the beginning of longer ones; otherwise they are refused. */
  readonly allowPartialMessage: boolean
  readonly packAsBytes: boolean
}

/** Which decisions are remembered, and for how long. */
export interface AuthzCache {
  readonly key: readonly Cel[]
  readonly ttl: Cel
  readonly maxEntries: number
}

const grpc = record('By `envoy.service.auth.v3.Authorization`.', {
  context: mapOf(text('The value.'), 'Values that the service gets as `context_extensions`.'),
  metadata: mapOf(
    cel('Gives a map.'),
    'What the service gets as `metadata_context`, by namespace. Default: the claims of a verified token, as `jwt_payload` of `envoy.filters.http.jwt_authn`.',
  ),
})

const http = record(
  'By the status of an HTTP answer: 2xx lets pass, every other answer goes to the client.',
  {
    path: cel('Gives path and query of the question. Default: those of the request.'),
    redirect: cel('Gives the address that callers are sent to where the answer is 401 or 403.'),
    includeResponseHeaders: listOf(
      formatted('settableHeader', 'A header.'),
      'Headers of the answer that are put into the request. What the client sent under these names is removed.',
    ),
    addRequestHeaders: headerExpressions(
      'Headers of the question. One whose expression fails is left out. `:method`, `:path` and `:authority` change method, path and host of the question: where one of these fails, the request is refused.',
      'settableRequestField',
    ),
    metadata: mapOf(
      cel('Gives the value. `response` is the answer of the service.'),
      'Values that later expressions read as `extauthz.name`.',
    ),
    body: cel('Gives the body of the question. Default: the body that `includeRequestBody` shows.'),
  },
)

const extAuthz = record(
  'Lets a service decide who may pass.',
  {
    ...policyBackendFields,
    protocol: record(
      'How the service is asked. Default: `grpc`.',
      { grpc: ref('ExtAuthzGrpc'), http: ref('ExtAuthzHttp') },
      exactlyOne('grpc', 'http'),
    ),
    failureMode: either(
      'What happens if the service cannot be asked, or does not answer in time.',
      words('Refuse with 403, or let pass.', ['deny', 'allow'], 'deny'),
      record(
        'Refuse with another status.',
        { denyWithStatus: whole('The status.', 400, 599) },
        { required: ['denyWithStatus'] },
      ),
    ),
    includeRequestHeaders: listOf(
      formatted('requestField', 'A header, or a pseudo-header of the request.'),
      'Headers that the service sees. Default: over gRPC all, over HTTP `Authorization`, which is always sent. `:method`, `:path`, `:authority` and `:scheme` are headers over gRPC; over HTTP the question has method and path of the request anyway, and with `:authority` its host.',
    ),
    includeRequestBody: record('How much of the body the service sees. Default: nothing.', {
      maxRequestBytes: whole('Longest body.', 1, undefined, defaults.extAuthzBodyBytes),
      allowPartialMessage: flag(
        'Whether it sees the beginning of longer ones. Otherwise they are refused with 413.',
        false,
      ),
      packAsBytes: flag('Over gRPC: whether the body is sent as bytes instead of text.', false),
    }),
    resultHeaders: ours(
      listOf(
        formatted('settableHeader', 'A header.'),
        'Headers that the service may set: what the client sent under these names is removed from every request that passes. Over HTTP those of `includeResponseHeaders` are among them.',
      ),
    ),
    cache: record(
      'Remembers what the service said.',
      {
        key: listOf(
          cel('A part of it.'),
          'Requests for which these give the same are decided alike. Where one fails, the service is asked.',
          { minItems: 1 },
        ),
        ttl: cel(
          'Gives for how long, as a duration, or until when, as a timestamp. Evaluated when the decision has been applied; where it fails, nothing is remembered.',
        ),
        maxEntries: whole('How many decisions are remembered.', 1, 10_000_000, defaults.extAuthzCacheEntries),
      },
      { required: ['key', 'ttl'] },
    ),
  },
  onePolicyBackend,
)

/** Definitions about deciding services. */
export const extAuthzDefinitions: Properties = {
  ExtAuthzGrpc: grpc,
  ExtAuthzHttp: http,
  ...conditionalDefinitions('ExtAuthz', extAuthz),
}
