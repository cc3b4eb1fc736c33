import type * as File from '../schema/file-types.gen.ts'
import { child } from '../document/json-pointer.ts'

/** A policy that has no effect on gRPC calls: its location within the policies, and the reason. */
export interface Unheeded {
  readonly pointer: string
  readonly why: string
}

type Policies = Pick<File.SimpleBackendPolicies, 'backendAuth' | 'backendTunnel' | 'transformations'>

/** The policies of a service that have no meaning for gRPC: a call has only initial metadata and messages. */
export function unheededByGrpc(policies: Policies, pointer: string): readonly Unheeded[] {
  const { backendAuth, backendTunnel, transformations } = policies
  return [
    ...(backendAuth === undefined || typeof backendAuth === 'string'
      ? []
      : ofAuth(backendAuth, child(pointer, 'backendAuth'))),
    ...(transformations === undefined
      ? []
      : ofTransformations(transformations, child(pointer, 'transformations'))),
    ...(backendTunnel === undefined
      ? []
      : [
          {
            pointer: child(pointer, 'backendTunnel'),
            why: 'must not be there: services are called directly over gRPC',
          },
        ]),
  ]
}

function ofAuth(auth: File.BackendAuthFields, pointer: string): readonly Unheeded[] {
  const places: readonly (readonly [pointer: string, place: File.CredentialPlace | undefined])[] = [
    ...(['passthrough', 'key', 'jwtSign', 'clientCredentials'] as const).map((name) => {
      const way = auth[name]
      return [child(pointer, name), typeof way === 'object' ? way.location : undefined] as const
    }),
    [child(pointer, 'oauthTokenExchange'), auth.oauthTokenExchange?.authorizationLocation],
    ...(auth.credentials ?? []).map(
      ({ location }, i) => [child(child(pointer, 'credentials'), i), location] as const,
    ),
  ]
  const unheeded = places
    .filter(([, place]) => place !== undefined && place.header === undefined)
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
