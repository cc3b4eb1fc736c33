import {
  bearerLocation,
  type CredentialLocation,
  type CredentialPlace,
} from '../../../model/policies/credential-location.ts'
import type { RoutePolicies } from '../../../model/resources/policies.ts'
import { isJsonObject } from '../../../protocols/json/json-object.ts'
import { normalizeCredentialLocation } from '../../../config/normalize/credential-location.ts'

/** Where clients of language models put their keys beside `Authorization`: that of Anthropic, and Google's in two ways. */
const others: readonly CredentialPlace[] = [
  { kind: 'header', name: 'x-api-key' },
  { kind: 'header', name: 'x-goog-api-key' },
  { kind: 'queryParameter', name: 'key' },
]

/**
 * The policies of what clients of language models reach: where they say nothing else, keys and tokens may be wherever such
 * clients put them, since these cannot be changed. Not where another policy looks for something else, nor where what is
 * behind the policies gets a key of the client's.
 *
 * @param behind Models or backends as they are configured: their `passthrough` counts.
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

const locationsOf = (location: CredentialLocation): readonly CredentialPlace[] => {
  if (location.kind === 'several') return location.locations.flatMap(locationsOf)
  return location.kind === 'expression' ? [] : [location]
}

const keyOf = ({ kind, name }: CredentialPlace): string => `${kind} ${name}`

/** Where `passthrough` leaves the client's key for the provider. */
function passedOn(value: unknown): CredentialPlace[] {
  if (Array.isArray(value)) return value.flatMap(passedOn)
  if (!isJsonObject(value)) return []
  return Object.entries(value).flatMap(([name, part]) => {
    if (name !== 'passthrough' || !isJsonObject(part)) return passedOn(part)
    return isJsonObject(part.location) ? [normalizeCredentialLocation(part.location)] : []
  })
}
