import type { CredentialField } from '../../model/policies/credential-location.ts'
import type { Exchange } from '../../model/exchange/exchange.ts'
import type { ConsumedCredential } from '../../model/exchange/identity.ts'
import { type CredentialSource, merged, readCredentials, removeCredential } from './credential-source.ts'

/** The location of credentials that policies remove from the request after verification. */
export interface ConsumingSource {
  /** Every credential there; if an outer policy of the same kind removed one from there, that one. */
  read(x: Exchange): readonly string[]
  /**
   * Removes the credential from the request.
   * @returns the new value of `identity.consumed`
   */
  consume(x: Exchange, credential: string): readonly ConsumedCredential[]
}

/**
 * Lets a gateway and a route require the same kind of credential at the same location: the route's policy verifies
 * the credential that the gateway's policy removed from the request.
 *
 * @param kind Identifies policies of the same kind.
 */
export const consumingSource = (kind: string, source: CredentialSource): ConsumingSource => {
  if (source.kind === 'several') {
    return consumingFrom(
      source.sources.map((one) => consumingSource(kind, one)),
      source.isFirstAlone,
    )
  }
  // Credentials found by expressions are not removed.
  if (source.kind === 'expression')
    return { read: (x) => readCredentials(source, x), consume: (x) => x.identity.consumed ?? none }
  const location = locationOf(kind, source)
  return {
    read(x) {
      const found = readCredentials(source, x)
      const { consumed } = x.identity
      if (found.length > 0 || !consumed) return found
      const before = consumed.findLast((one) => one.location === location)
      return before ? [before.credential] : found
    },
    consume(x, credential) {
      const { consumed } = x.identity
      removeCredential(source, x)
      return consumed ? [...consumed, { location, credential }] : [{ location, credential }]
    },
  }
}

/** Removes what was found at every location, together with other values there, which were not verified. */
const consumingFrom = (
  sources: readonly ConsumingSource[],
  isFirstAlone: boolean | undefined,
): ConsumingSource => ({
  read: (x) =>
    merged(
      sources.map((source) => source.read(x)),
      isFirstAlone,
    ),
  consume(x, credential) {
    const before = x.identity.consumed ?? none
    const consumed = sources.flatMap((source) => {
      const found = source.read(x)
      const now = source.consume(x, credential).slice(before.length)
      return found.includes(credential) ? now : []
    })
    return [...before, ...consumed]
  },
})

const none: readonly ConsumedCredential[] = []

const locationOf = (kind: string, location: CredentialField): string => {
  const prefix = location.kind === 'header' ? (location.prefix ?? '').trim().toLowerCase() : ''
  return JSON.stringify([kind, location.kind, location.name, prefix])
}
