import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { TLSSocket } from 'node:tls'
import type { SecretText } from '../../model/policies/secret-text.ts'
import { tlsAttributesOf } from '../../streams/http/tls/terminator.ts'

/** Who may call a server. */
export interface CallerRules {
  /** One of these is required as a bearer token; none: no token is. Read for each request. */
  readonly tokens: () => readonly SecretText[]
  /** One of these must be a name of the client's certificate; undefined: any certificate that is trusted will do. */
  readonly certificateNames: readonly string[] | undefined
}

/** A refusal of a caller. */
export interface CallerRefusal {
  readonly status: 401 | 403
  readonly text: string
  readonly headers: Readonly<Record<string, string>>
}

/** Checks the token and the certificate of a caller. Undefined if it may call. */
export const callerRefusal = (req: IncomingMessage, rules: CallerRules): CallerRefusal | undefined => {
  const { certificateNames } = rules
  if (certificateNames && !hasName(req.socket, certificateNames))
    return { status: 403, text: 'client certificate not allowed\n', headers: {} }
  const tokens = rules.tokens()
  if (tokens.length === 0) return undefined
  // Others on the way may read the last of several fields, and Node gives the first.
  if ((req.headersDistinct.authorization?.length ?? 0) > 1)
    return unauthenticated('several Authorization fields\n', ', error="invalid_request"')
  const given = bearerToken(req)
  if (given === undefined) return unauthenticated('a bearer token is required\n', '')
  return isOneOf(given, tokens)
    ? undefined
    : unauthenticated('the bearer token is not valid\n', ', error="invalid_token"')
}

const unauthenticated = (text: string, more: string): CallerRefusal => ({
  status: 401,
  text,
  headers: { 'www-authenticate': `Bearer realm="agentgateway admin"${more}` },
})

const bearerToken = ({ headers }: IncomingMessage): string | undefined =>
  /^bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1]

/**
 * Compares with every token, by hashes: the time depends neither on how much of a token is right, nor on its length,
 * nor on which of them it is.
 */
const isOneOf = (given: string, tokens: readonly SecretText[]): boolean => {
  const hash = hashOf(given)
  let isKnown = false
  for (const { secret } of tokens) if (timingSafeEqual(hash, hashOf(secret))) isKnown = true
  return isKnown
}

const hashOf = (token: string): Buffer => createHash('sha256').update(token).digest()

const hasName = (socket: unknown, names: readonly string[]): boolean => {
  const client = socket instanceof TLSSocket ? tlsAttributesOf(socket, undefined).client : undefined
  if (!client) return false
  const { subject, subjectCn, subjectAltNames } = client
  return [subject, subjectCn, ...subjectAltNames].some((name) => name !== undefined && names.includes(name))
}
