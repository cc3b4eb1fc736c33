import type { CredentialField } from '../../model/policies/credential-location.ts'
import type { Exchange } from '../../model/exchange/exchange.ts'
import { deny, type Reply } from '../../model/exchange/reply.ts'
import { onRequest, type Operator } from '../../pipeline/stage.ts'
import { isFieldValue } from '../../protocols/http/field-syntax.ts'
import { CredentialFault } from '../../upstream/credentials/credential-fault.ts'
import { applied, skipped } from '../trace-policy.ts'
import { isKnownByName, putCredential, removeCredential } from '../credentials/credential-source.ts'

/** A credential that authenticates the gateway or its client to the upstream. */
export interface UpstreamCredential {
  /** Its name in the trace. */
  readonly kind: string
  readonly location: CredentialField
  /**
   * The credential for an exchange, synchronously or not. Undefined if there is none; a refusal if the request lacks a
   * required one.
   */
  readonly of: (x: Exchange) => Given | PromiseLike<Given>
  /**
   * Where there is no credential, the client's own value at its location is removed: upstreams must not take it for the
   * gateway's.
   */
  readonly isExclusive?: boolean
  /** Called once the credential is available and before it is put into the request. */
  readonly prepare?: ((x: Exchange) => void) | undefined
  /** The upstream rejected the credential. Returns true if a new one is worth an attempt. */
  readonly refused?: ((x: Exchange) => boolean) | undefined
}

/** A credential, none, or the refusal of a request from which one cannot be made. */
export type Given = string | undefined | Reply

/**
 * Puts credentials into requests, in their order, in place of what clients sent there.
 *
 * Belongs among the stages of a backend, before those that change headers, so that these have the last word. Runs for
 * each attempt. It stays synchronous where all credentials are at hand.
 *
 * @throws Fault `backend_auth_failed`, through the error channel, where a credential cannot be obtained; the message
 *   for the client gives the reason, and contains no secret. Retry policies do not retry it, since renewal was tried
 *   already.
 */
export const authenticateUpstream = (credentials: readonly UpstreamCredential[]): Operator =>
  onRequest('backend-auth', (x) => putCredentials(x, credentials, x))

/**
 * Puts credentials for an exchange into a request that may differ from the exchange's own.
 *
 * @param into The request that gets them.
 * @returns A refusal where a required credential is missing.
 */
export const putCredentials = (
  x: Exchange,
  credentials: readonly UpstreamCredential[],
  into: Exchange,
): Reply | undefined | Promise<Reply | undefined> => putFrom(x, credentials, into, 0)

/** The refusal of a request without the token that is to be exchanged. */
export const tokenMissing = (): Reply =>
  deny(400, 'backend_auth_no_token', { message: 'invalid request', reason: 'InvalidRequest' })

const putFrom = (
  x: Exchange,
  credentials: readonly UpstreamCredential[],
  into: Exchange,
  start: number,
): Reply | undefined | Promise<Reply | undefined> => {
  for (let i = start; i < credentials.length; i++) {
    const credential = credentials[i] as UpstreamCredential // i < credentials.length
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
    if (credential.isExclusive) removeCredential(credential.location, x)
    x.probe?.record(skipped('backend_auth', `${credential.kind}: no credential`))
    return undefined
  }
  if (typeof given === 'object') return given
  const { location } = credential
  if (location.kind !== 'queryParameter' && !isFieldValue(given))
    throw new CredentialFault('the credential cannot be sent in a header', { isPermanent: true })
  credential.prepare?.(x)
  // Logs show queries, traces show everything, and expressions return what they are configured to.
  if (x.probe || !isKnownByName(location)) x.policy.addSecret(given)
  putCredential(location, x, given)
  x.probe?.record(
    applied('backend_auth', `${credential.kind}: put a credential into the ${locations[location.kind]}`),
  )
  return undefined
}

const locations = { header: 'headers', queryParameter: 'query', cookie: 'cookies' } as const
