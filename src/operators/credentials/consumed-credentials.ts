import type { CredentialField } from '../../model/policies/credential-location.ts'
import type { Exchange } from '../../model/exchange/exchange.ts'
import type { TakenCredential } from '../../model/exchange/identity.ts'
import { type CredentialSource, merged, readCredentials, removeCredential } from './credential-source.ts'

/** The location of credentials that policies remove from the request after verification. */
export interface TakingSource {
  /** Every credential there; if an outer policy of the same kind removed one from there, that one. */
  read(x: Exchange): readonly string[]
  /**
   * Removes the credential from the request.
   * @returns the new value of `identity.taken`
   */
  take(x: Exchange, credential: string): readonly TakenCredential[]
}

/**
 * Lets a gateway and a route require the same kind of credential at the same location: the route's policy verifies
 * the credential that the gateway's policy removed from the request.
 *
 * @param kind Identifies policies of the same kind.
 */
export const takingSource = (kind: string, source: CredentialSource): TakingSource => {
  if (source.kind === 'several') {
    return takingFrom(
      source.sources.map((one) => takingSource(kind, one)),
      source.isFirstAlone,
    )
  }
  // Credentials found by expressions are not removed.
  if (source.kind === 'expression')
    return { read: (x) => readCredentials(source, x), take: (x) => x.identity.taken ?? none }
  const location = locationOf(kind, source)
  return {
    read(x) {
      const found = readCredentials(source, x)
      const { taken } = x.identity
      if (found.length > 0 || !taken) return found
      const before = taken.findLast((one) => one.location === location)
      return before ? [before.credential] : found
    },
    take(x, credential) {
      const { taken } = x.identity
      removeCredential(source, x)
      return taken ? [...taken, { location, credential }] : [{ location, credential }]
    },
  }
}

/** Removes what was found at every location, together with other values there, which were not verified. */
const takingFrom = (sources: readonly TakingSource[], isFirstAlone: boolean | undefined): TakingSource => ({
  read: (x) =>
    merged(
      sources.map((source) => source.read(x)),
      isFirstAlone,
    ),
  take(x, credential) {
    const before = x.identity.taken ?? none
    const taken = sources.flatMap((source) => {
      const found = source.read(x)
      const now = source.take(x, credential).slice(before.length)
      return found.includes(credential) ? now : []
    })
    return [...before, ...taken]
  },
})

const none: readonly TakenCredential[] = []

const locationOf = (kind: string, location: CredentialField): string => {
  const prefix = location.kind === 'header' ? (location.prefix ?? '').trim().toLowerCase() : ''
  return JSON.stringify([kind, location.kind, location.name, prefix])
}
