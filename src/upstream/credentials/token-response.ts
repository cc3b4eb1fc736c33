import type { Fault } from '../../model/exchange/fault.ts'
import type { JsonObject } from '../../protocols/json/json-object.ts'
import { readJsonObject } from '../../protocols/json/read-json.ts'
import { CredentialFault, TokenRefused } from './credential-fault.ts'

/** A successful response of a token endpoint. */
export interface TokenResponse {
  readonly accessToken: string
  /** Lower-case. */
  readonly tokenType: string | undefined
  readonly issuedTokenType: string | undefined
  readonly expiresInMs: number | undefined
}

/**
 * Parses a successful response (RFC 6749 §5.1, RFC 8693 §2.2.1).
 *
 * @throws CredentialFault if it has no token.
 */
export const tokenResponse = (body: Buffer): TokenResponse => {
  const {
    access_token: accessToken,
    token_type: type,
    issued_token_type: issued,
    expires_in: life,
  } = read(body)
  if (typeof accessToken !== 'string' || accessToken === '')
    throw new CredentialFault('the token endpoint answered without a token')
  const seconds = typeof life === 'string' && life !== '' ? Number(life) : life
  return {
    accessToken,
    tokenType: typeof type === 'string' ? type.toLowerCase() : undefined,
    issuedTokenType: typeof issued === 'string' ? issued : undefined,
    expiresInMs:
      typeof seconds === 'number' && Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : undefined,
  }
}

/** The fault of an error response. */
export const tokenErrorResponse = (status: number, body: Buffer, isForClient: boolean): Fault => {
  const { error } = read(body)
  const code = typeof error === 'string' && KNOWN.has(error) ? error : undefined
  const why = `the token endpoint answered ${status}${code === undefined ? '' : ` ${code}`}`
  if (status >= 500 || status === 429 || code === 'temporarily_unavailable' || code === 'server_error')
    return new CredentialFault(why)
  // Without a known code the cause may be one caller's token: other callers must not be affected.
  const isUnexplained = code === undefined && (status === 401 || status === 403)
  const isOfIssuer = OF_GATEWAY.has(code ?? '') || (isUnexplained && !isForClient)
  if (isForClient && !isOfIssuer && OF_TOKEN.has(code ?? '')) return new TokenRefused(why)
  return new CredentialFault(why, { isPermanent: true, isOfIssuer })
}

/** Of RFC 6749 §5.2, RFC 8693 §2.2.2, RFC 8707 §2 and OpenID Connect Core §3.1.2.6. Others may quote anything. */
const KNOWN: ReadonlySet<string> = new Set([
  'invalid_request',
  'invalid_client',
  'invalid_grant',
  'unauthorized_client',
  'unsupported_grant_type',
  'invalid_scope',
  'invalid_target',
  'access_denied',
  'interaction_required',
  'login_required',
  'consent_required',
  'server_error',
  'temporarily_unavailable',
])
const OF_GATEWAY: ReadonlySet<string> = new Set([
  'invalid_client',
  'unauthorized_client',
  'unsupported_grant_type',
])
const OF_TOKEN: ReadonlySet<string> = new Set([
  'invalid_request',
  'invalid_grant',
  'access_denied',
  'interaction_required',
  'login_required',
  'consent_required',
])

const read = (body: Buffer): JsonObject => readJsonObject(body.toString()) ?? {}
