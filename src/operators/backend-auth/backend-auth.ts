import type { CredentialPlace } from '../../model/credential-location.ts'
import type { Exchange } from '../../model/exchange.ts'
import { deny, type Reply } from '../../model/reply.ts'
import { onRequest, type Operator } from '../../pipeline/stage.ts'
import { isFieldValue } from '../../protocols/http/field-syntax.ts'
import { CredentialFault } from '../../upstream/credentials/credential-fault.ts'
import { applied, skipped } from '../policy-note.ts'
import { isKnownByName, putCredential, removeCredential } from './credential-location.ts'

/** What is put into requests so that the upstream knows who asks. */
export interface UpstreamCredential {
  /** How the trace calls it. */
  readonly kind: string
  readonly place: CredentialPlace
  /** The credential for an exchange, now or later. Undefined if there is none; a reply if there must be one. */
  readonly of: (x: Exchange) => Given | PromiseLike<Given>
  /** Where there is no credential, what the client put in its place goes: nobody is to take it for one. */
  readonly isAloneInPlace?: boolean
  /** What else there is to do once the credential is known and before it is put in its place. */
  readonly prepare?: ((x: Exchange) => void) | undefined
  /** The upstream did not take it. True if another one is worth a try. */
  readonly refused?: ((x: Exchange) => boolean) | undefined
}

/** A credential, none, or the refusal of a request that lacks what it takes to have one. */
export type Given = string | undefined | Reply

/**
 * Puts credentials into requests, in their order, in place of whatever clients sent there.
 *
 * Belongs among the stages of a backend, before those that change headers, so that these have the last word. Runs for
 * each attempt. It does not leave the caller's turn where the credentials are at hand.
 *
 * @throws Fault `backend_auth_failed`, through the error channel, where a credential cannot be had; what the client reads
 *   says why, and holds no secret. No retry policy tries that again: what can be done about it has been done.
 */
export const authenticateUpstream = (credentials: readonly UpstreamCredential[]): Operator =>
  onRequest('backend-auth', (x) => putCredentials(x, credentials, x))

/**
 * Puts credentials for an exchange into a request that need not be its own.
 *
 * @param into Whose request gets them.
 * @returns A refusal where something is missing that there must be.
 */
export const putCredentials = (
  x: Exchange,
  credentials: readonly UpstreamCredential[],
  into: Exchange,
): Reply | undefined | Promise<Reply | undefined> => putFrom(x, credentials, into, 0)

/** The refusal of a request without the token that another one is had for. */
export const tokenMissing = (): Reply =>
  deny(400, 'backend_auth_no_token', { message: 'invalid request', reason: 'InvalidRequest' })

const putFrom = (
  x: Exchange,
  credentials: readonly UpstreamCredential[],
  into: Exchange,
  start: number,
): Reply | undefined | Promise<Reply | undefined> => {
  for (let i = start; i < credentials.length; i++) {
    const credential = credentials[i] as UpstreamCredential // below the length
    const given = credential.of(x)
    if (typeof given === 'object' && 'then' in given)
      return Promise.resolve(given).then(
        (later) => put(into, credential, later) ?? putFrom(x, credentials, into, i + 1),
      )
    const refusal = put(into, credential, given)
    if (refusal) return refusal
  }
  return undefined
}

const put = (x: Exchange, credential: UpstreamCredential, given: Given): Reply | undefined => {
  if (given === undefined) {
    if (credential.isAloneInPlace) removeCredential(credential.place, x)
    x.probe?.note(skipped('backend_auth', `${credential.kind}: no credential`))
    return undefined
  }
  if (typeof given === 'object') return given
  const { place } = credential
  if (place.kind !== 'queryParameter' && !isFieldValue(given))
    throw new CredentialFault('the credential cannot be sent in a header', { isPermanent: true })
  credential.prepare?.(x)
  // Logs show queries, watchers everything, and expressions what they are told to.
  if (x.probe || !isKnownByName(place)) x.conceal(given)
  putCredential(place, x, given)
  x.probe?.note(
    applied('backend_auth', `${credential.kind}: put a credential into the ${places[place.kind]}`),
  )
  return undefined
}

const places = { header: 'headers', queryParameter: 'query', cookie: 'cookies' } as const
