import {
  bearerLocation,
  type CredentialLocation,
  type CredentialField,
} from '../../../model/policies/credential-location.ts'
import type { RoutePolicies } from '../../../model/resources/policies.ts'
import { isJsonObject } from '../../../protocols/json/json-object.ts'
import { normalizeCredentialLocation } from '../../../config/normalize/credential-location.ts'

/**
 * Where clients of language models put keys besides `Authorization`: Anthropic's header, and Google's two locations.
 */
const others: readonly CredentialField[] = [
  { kind: 'header', name: 'x-api-key' },
  { kind: 'header', name: 'x-goog-api-key' },
  { kind: 'queryParameter', name: 'key' },
]

/**
 * Policies for clients of language models: without another location in the configuration, keys and tokens may be
 * wherever such clients put them, since the clients cannot be changed. A location is left out if another policy uses
 * it, or if the backend gets the client's key from it.
 *
 * @param behind Configured models or backends: their `passthrough` counts.
 */
export function llmCredentials(policies: RoutePolicies, behind: unknown): RoutePolicies {
  const { apiKey, jwtAuth, basicAuth } = policies
  const taken = new Set(
    [
      ...[apiKey, jwtAuth, basicAuth].flatMap((policy) => (policy ? locationsOf(policy.location) : [])),
      ...passedOn(behind),
    ].map(keyOf),
  )
  const location: CredentialLocation = {
    kind: 'several',
    locations: [bearerLocation, ...others.filter((location) => !taken.has(keyOf(location)))],
    isFirstAlone: true,
  }
  return {
    ...policies,
    ...(apiKey?.location === bearerLocation && { apiKey: { ...apiKey, location } }),
    ...(jwtAuth?.location === bearerLocation && { jwtAuth: { ...jwtAuth, location } }),
  }
}

const locationsOf = (location: CredentialLocation): readonly CredentialField[] => {
  if (location.kind === 'several') return location.locations.flatMap(locationsOf)
  return location.kind === 'expression' ? [] : [location]
}

const keyOf = ({ kind, name }: CredentialField): string => `${kind} ${name}`

/** Locations where `passthrough` leaves the client's key for the provider. */
function passedOn(value: unknown): CredentialField[] {
  if (Array.isArray(value)) return value.flatMap(passedOn)
  if (!isJsonObject(value)) return []
  return Object.entries(value).flatMap(([name, part]) => {
    if (name !== 'passthrough' || !isJsonObject(part)) return passedOn(part)
    return isJsonObject(part.location) ? [normalizeCredentialLocation(part.location)] : []
  })
}
