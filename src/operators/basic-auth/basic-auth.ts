import { createHmac, randomBytes } from 'node:crypto'
import type { BasicAuth, PasswordUser } from '../../model/basic-auth.ts'
import type { Exchange } from '../../model/exchange.ts'
import { deny, type Reply } from '../../model/reply.ts'
import { type Decide, onRequest, type Operator } from '../../pipeline/stage.ts'
import type { PasswordClaim, PasswordVerdict } from '../../upstream/passwords/passwords.ts'
import { bodiesReadBy, holding } from '../body/hold.ts'
import { applied, skipped } from '../policy-note.ts'
import { concealCredentials, type CredentialSource } from './credential-location.ts'
import { takingSource } from './taken-credentials.ts'

/** Who is let in, and how a password is checked. */
export interface BasicAuthOptions extends Omit<BasicAuth, 'location'> {
  readonly source: CredentialSource
  /** How much of a request body the source may read, if it is an expression; a longer one is refused with 413. */
  readonly bufferLimitBytes: number
  readonly verify: (claim: PasswordClaim) => PasswordVerdict | Promise<PasswordVerdict>
}

/**
 * Answers 401 `basic_auth_failed` (407 where the password is in Proxy-Authorization) unless a known user's password came
 * along, and takes the password out of the request. Without one, `optional` lets it pass as nobody. With more checks
 * waiting than may wait it answers 503. A password that an outer one has taken out of the request already is judged like any
 * other.
 *
 * Belongs before authorization: rules read `basicAuth.username`. Whether a user exists shows neither in the answer nor in
 * the time it takes: for unknown names, a hash of somebody else is worked on.
 */
export const basicAuth = ({
  users,
  realm,
  mode,
  source,
  bufferLimitBytes,
  verify,
}: BasicAuthOptions): Operator => {
  const known = new Map(users.map((user) => [user.name, user]))
  const refused = refusal(realm, source)
  const decoy = decoys(users)
  const taking = takingSource('basicAuth', source)

  const judge = (
    x: Exchange,
    user: string,
    credential: string,
    verdict: PasswordVerdict,
  ): Reply | undefined => {
    if (verdict === 'busy') return busy()
    if (!verdict) return refused(x, 'invalid credentials')
    x.identity = { ...x.identity, basicAuth: { username: user }, taken: taking.take(x, credential) }
    x.probe?.note(applied('basic_auth', 'the password is right'))
    return undefined
  }

  const decide: Decide = (x) => {
    const credentials = taking.read(x)
    const [credential] = credentials
    if (credential === undefined) {
      if (mode === 'strict') return refused(x, 'no basic authentication credentials found')
      x.probe?.note(skipped('basic_auth', 'there is no password'))
      return undefined
    }
    concealCredentials(source, x, credentials)
    const pair = credentials.length === 1 ? decode(credential) : undefined
    const user = pair && known.get(pair.name)
    const compared = user ?? (pair && decoy(pair.name))
    if (!pair || !compared) return refused(x, 'invalid credentials')
    const verdict = verify({
      user: pair.name,
      password: pair.password,
      hash: compared.hash.secret,
      asker: x.request.connection.sourceAddress,
      isDecoy: user === undefined,
    })
    return typeof verdict === 'object'
      ? verdict.then((later) => judge(x, pair.name, credential, later))
      : judge(x, pair.name, credential, verdict)
  }

  const expressions = source.kind === 'expression' ? [source.expression] : []
  return onRequest('basic-auth', holding(bodiesReadBy(expressions), bufferLimitBytes, decide))
}

/** Longer ones cost more to hash than they are worth; `htpasswd` itself takes 255 bytes. */
const LONGEST_PASSWORD_BYTES = 1024
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/
const CONTROL = /[\x00-\x1f\x7f]/

/** Name and password, which RFC 7617 joins by the first colon and encodes in Base64. */
const decode = (credential: string): { readonly name: string; readonly password: string } | undefined => {
  if (credential.length > 2 * LONGEST_PASSWORD_BYTES || !BASE64.test(credential)) return undefined
  const text = Buffer.from(credential, 'base64').toString()
  const colon = text.indexOf(':')
  if (colon < 0 || CONTROL.test(text)) return undefined
  const password = text.slice(colon + 1)
  if (Buffer.byteLength(password) > LONGEST_PASSWORD_BYTES) return undefined
  return { name: text.slice(0, colon), password }
}

/** For each unknown name the same user every time, as if the name were known: the cost of hashes differs by user. */
const decoys = (users: readonly PasswordUser[]): ((name: string) => PasswordUser | undefined) => {
  const key = randomBytes(32)
  return (name) => users[createHmac('sha256', key).update(name).digest().readUInt32BE() % users.length]
}

const refusal = (realm: string, source: CredentialSource) => {
  const challenge = `Basic realm="${realm.replace(/["\\]/g, '\\$&')}"`
  const isProxy = source.kind === 'header' && source.name === 'proxy-authorization'
  const headers = { [isProxy ? 'proxy-authenticate' : 'www-authenticate']: challenge }
  return (x: Exchange, why: string): Reply => {
    x.probe?.note(applied('basic_auth', `refused: ${why}`))
    const message = `basic authentication failure: ${why}`
    return isProxy
      ? deny(407, 'basic_auth_failed', { message, reason: 'BasicAuth', headers })
      : deny(401, 'basic_auth_failed', { message, reason: 'BasicAuth', headers })
  }
}

const busy = (): Reply =>
  deny(503, 'overloaded', { message: 'overloaded', reason: 'Overloaded', headers: { 'retry-after': '1' } })
