import type { policies as policyTable } from '../policies.ts'
import type * as File from '../schema/file-types.gen.ts'
import { child } from '../document/json-pointer.ts'

/** A policy that has no effect on gRPC calls: its location within the policies, and the reason. */
export interface Unheeded {
  readonly pointer: string
  readonly why: string
}

type Policies = File.SimpleBackendPolicies
type CalloutPolicy = {
  [K in keyof typeof policyTable]: 'callout' extends keyof (typeof policyTable)[K] ? K : never
}[keyof typeof policyTable]

/** What gRPC callouts do not support of each policy of callouts. */
const unsupported: {
  readonly [K in CalloutPolicy]: (policy: NonNullable<Policies[K]>, pointer: string) => readonly Unheeded[]
} = {
  requestHeaderModifier: () => [],
  backendAuth: (policy, pointer) => (typeof policy === 'string' ? [] : ofAuth(policy, pointer)),
  transformations: (policy, pointer) => ofTransformations(policy, pointer),
  backendTLS: () => [],
  backendTunnel: () => [],
  http: () => [],
  tcp: () => [],
}

/** What gRPC callouts do not support: they have metadata before the messages, and nothing else to change. */
export function unheededByGrpc(policies: Policies, pointer: string): readonly Unheeded[] {
  return Object.entries(unsupported).flatMap(([name, check]) => {
    const policy = policies[name as CalloutPolicy]
    return policy === undefined ? [] : check(policy as never, child(pointer, name))
  })
}

function ofAuth(auth: File.BackendAuthFields, pointer: string): readonly Unheeded[] {
  const locations: readonly (readonly [pointer: string, location: File.CredentialField | undefined])[] = [
    ...(['passthrough', 'key', 'jwtSign', 'clientCredentials'] as const).map((name) => {
      const way = auth[name]
      return [child(pointer, name), typeof way === 'object' ? way.location : undefined] as const
    }),
    [child(pointer, 'oauthTokenExchange'), auth.oauthTokenExchange?.authorizationLocation],
    ...(auth.credentials ?? []).map(
      ({ location }, i) => [child(child(pointer, 'credentials'), i), location] as const,
    ),
  ]
  const unheeded = locations
    .filter(([, location]) => location !== undefined && location.header === undefined)
    .map(([at]) => ({
      pointer: at,
      why: 'must put the credential into a header: gRPC calls have no query and no cookies',
    }))
  if (auth.aws === undefined) return unheeded
  const why = 'cannot sign gRPC calls: signatures of AWS cover a body, and messages are sent as they come'
  return [...unheeded, { pointer: child(pointer, 'aws'), why }]
}

function ofTransformations(
  { request, response }: File.Transformations,
  pointer: string,
): readonly Unheeded[] {
  const unheeded: Unheeded[] = []
  if (response !== undefined)
    unheeded.push({
      pointer: child(pointer, 'response'),
      why: 'must not be there: of gRPC answers the gateway reads messages only',
    })
  const at = child(pointer, 'request')
  if (request?.body !== undefined)
    unheeded.push({
      pointer: child(at, 'body'),
      why: 'must not be there: what a gRPC message says follows from the policy',
    })
  for (const how of ['add', 'set'] as const)
    for (const name of Object.keys(request?.[how] ?? {}))
      if (name.startsWith(':') || name.toLowerCase() === 'host')
        unheeded.push({
          pointer: child(child(at, how), name),
          why: 'must be the name of a header: expressions change nothing else of a gRPC call',
        })
  return unheeded
}
