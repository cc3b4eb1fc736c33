import type { CredentialPlace } from '../../model/policies/credential-location.ts'
import type { Exchange } from '../../model/exchange/exchange.ts'
import type { TakenCredential } from '../../model/exchange/identity.ts'
import { type CredentialSource, merged, readCredentials, removeCredential } from './credential-source.ts'

/** Where credentials are looked for by policies that take good ones out of the request. */
export interface TakingSource {
  /** Every credential there; where an outer policy of the same kind took one out from there, that one. */
  read(x: Exchange): readonly string[]
  /** Takes the credential out of the request. @returns What is to become `identity.taken`. */
  take(x: Exchange, credential: string): readonly TakenCredential[]
}

/**
 * Lets a gateway and a route ask for the same kind of credential in the same place: the route's policy judges what the
 * gateway's has taken out of the request.
 *
 * @param kind What tells policies of this kind from others.
 */
export const takingSource = (kind: string, source: CredentialSource): TakingSource => {
  if (source.kind === 'several') {
    return takingFrom(
      source.sources.map((one) => takingSource(kind, one)),
      source.isFirstAlone,
    )
  }
  // Nothing is taken out from where an expression found it.
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

/** Takes what was found out of every place, and what else stands there: nobody has looked at that. */
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

const locationOf = (kind: string, location: CredentialPlace): string => {
  const prefix = location.kind === 'header' ? (location.prefix ?? '').trim().toLowerCase() : ''
  return JSON.stringify([kind, location.kind, location.name, prefix])
}
