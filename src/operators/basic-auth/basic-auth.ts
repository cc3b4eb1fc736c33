import { createHmac, randomBytes } from 'node:crypto'
import type { BasicAuth, PasswordUser } from './schema.ts'
import { DEFAULT_BUFFER_BYTES } from '../../model/exchange/buffer-limit.ts'
import type { Exchange } from '../../model/exchange/exchange.ts'
import { deny, type Reply } from '../../model/exchange/reply.ts'
import { type Decide, onRequest, type Operator } from '../../pipeline/stage.ts'
import type { PasswordClaim, PasswordVerdict } from '../../upstream/passwords/passwords.ts'
import { bodiesReadBy, withBufferedBodies } from '../body/buffer-body.ts'
import { applied, skipped } from '../trace-policy.ts'
import {
  redactSourceCredentials,
  type CredentialSource,
  expressionsIn,
} from '../credentials/credential-source.ts'
import { sourceDescription } from '../credentials/source-description.ts'
import { consumingSource } from '../credentials/consumed-credentials.ts'

/** Which users are accepted, and how passwords are checked. */
export interface BasicAuthOptions extends Omit<BasicAuth, 'location'> {
  readonly source: CredentialSource
  /**
   * Longest request body that an expression for the location may read, in bytes; a longer one is refused with 413. 2
   * MiB by default.
   */
  readonly bufferLimitBytes?: number | undefined
  readonly verify: (claim: PasswordClaim) => PasswordVerdict | Promise<PasswordVerdict>
}

/**
 * Refuses with 401 `basic_auth_failed` (407 where the password is in Proxy-Authorization) unless the password of a
 * known user is sent, and removes the password from the request. In mode `optional` a request without one passes
 * unauthenticated. While the queue of password checks is full, the reply is 503. A password that an outer policy has
 * removed from the request already is checked like any other.
 *
 * Belongs before authorization: rules read `basicAuth.username`. Neither the reply nor its timing reveals whether a
 * user exists: for unknown names, the hash of another user is checked.
 */
export const basicAuth = ({
  users,
  realm,
  mode,
  source,
  bufferLimitBytes = DEFAULT_BUFFER_BYTES,
  verify,
}: BasicAuthOptions): Operator => {
  const usersByName = new Map(users.map((user) => [user.name, user]))
  const refused = refusal(realm, source)
  const decoy = decoys(users)
  const taking = consumingSource('basicAuth', source)

  const apply = (
    x: Exchange,
    user: string,
    credential: string,
    verdict: PasswordVerdict,
  ): Reply | undefined => {
    if (verdict === 'busy') return busy()
    if (!verdict) return refused(x, 'invalid credentials')
    x.identity = { ...x.identity, basicAuth: { username: user }, consumed: taking.consume(x, credential) }
    x.probe?.record(applied('basic_auth', 'the password is right'))
    return undefined
  }

  const decide: Decide = (x) => {
    const credentials = taking.read(x)
    const [credential] = credentials
    if (credential === undefined) {
      if (mode === 'strict')
        return refused(x, `no basic authentication credentials found${sourceDescription(source)}`)
      x.probe?.record(skipped('basic_auth', 'there is no password'))
      return undefined
    }
    redactSourceCredentials(source, x, credentials)
    const pair = credentials.length === 1 ? decode(credential) : undefined
    const user = pair && usersByName.get(pair.name)
    const compared = user ?? (pair && decoy(pair.name))
    if (!pair || !compared) return refused(x, 'invalid credentials')
    const verdict = verify({
      user: pair.name,
      password: pair.password,
      hash: compared.hash.secret,
      clientAddress: x.request.connection.sourceAddress,
      isDecoy: user === undefined,
    })
    return typeof verdict === 'object'
      ? verdict.then((later) => apply(x, pair.name, credential, later))
      : apply(x, pair.name, credential, verdict)
  }

  return onRequest(
    'basic-auth',
    withBufferedBodies(bodiesReadBy(expressionsIn(source)), bufferLimitBytes, decide),
  )
}

/** Longer passwords cost more to hash than they are worth; `htpasswd` itself accepts 255 bytes. */
const LONGEST_PASSWORD_BYTES = 1024
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/
const CONTROL = /[\x00-\x1f\x7f]/

/** Name and password, joined by the first colon and encoded in Base64 (RFC 7617). */
const decode = (credential: string): { readonly name: string; readonly password: string } | undefined => {
  if (credential.length > 2 * LONGEST_PASSWORD_BYTES || !BASE64.test(credential)) return undefined
  const text = Buffer.from(credential, 'base64').toString()
  const colon = text.indexOf(':')
  if (colon < 0 || CONTROL.test(text)) return undefined
  const password = text.slice(colon + 1)
  if (Buffer.byteLength(password) > LONGEST_PASSWORD_BYTES) return undefined
  return { name: text.slice(0, colon), password }
}

/** An unknown name gets the same user every time, as a known one would: the cost of hashes differs between users. */
const decoys = (users: readonly PasswordUser[]): ((name: string) => PasswordUser | undefined) => {
  const key = randomBytes(32)
  return (name) => users[createHmac('sha256', key).update(name).digest().readUInt32BE() % users.length]
}

const refusal = (realm: string, source: CredentialSource) => {
  const challenge = `Basic realm="${realm.replace(/["\\]/g, '\\$&')}"`
  const isProxy = source.kind === 'header' && source.name === 'proxy-authorization'
  const headers = { [isProxy ? 'proxy-authenticate' : 'www-authenticate']: challenge }
  return (x: Exchange, why: string): Reply => {
    x.probe?.record(applied('basic_auth', `refused: ${why}`))
    const message = `basic authentication failure: ${why}`
    return isProxy
      ? deny(407, 'basic_auth_failed', { message, reason: 'BasicAuth', headers })
      : deny(401, 'basic_auth_failed', { message, reason: 'BasicAuth', headers })
  }
}

const busy = (): Reply =>
  deny(503, 'overloaded', { message: 'overloaded', reason: 'Overloaded', headers: { 'retry-after': '1' } })
