import { createHash } from 'node:crypto'
import type { Exchange } from '../../model/exchange/exchange.ts'
import type { Evaluate } from '../../model/exchange/expression.ts'
import type { CredentialField } from '../../model/policies/credential-location.ts'
import { readJson } from '../../protocols/json/read-json.ts'
import { tokenMissing, type UpstreamCredential } from './backend-auth.ts'
import { cachedToken } from './token-cache.ts'
import { type CredentialSource, readCredentials, removeCredential } from '../credentials/credential-source.ts'
import type { IssuedToken, TokenCache } from '../../upstream/credentials/token-cache.ts'
import type { TradedTokens } from '../../upstream/credentials/token-parameters.ts'

/**
 * Whether the subject's `may_act` claim (RFC 8693 §4.4) names the actor: the claim has to have members, and each of
 * them has to be the same in the actor's token. Signatures are verified by the authorization server, which gets both
 * tokens.
 */
export const mayAct = (subjectToken: string, actorToken: string): boolean => {
  const allowed = payloadOf(subjectToken)?.may_act
  const actor = payloadOf(actorToken)
  if (typeof allowed !== 'object' || allowed === null || !actor) return false
  const claims = Object.entries(allowed)
  return (
    claims.length > 0 && claims.every(([name, value]) => Object.hasOwn(actor, name) && actor[name] === value)
  )
}

/** How a client's token is exchanged for another one. */
export interface ExchangeTokenOptions {
  readonly kind: string
  readonly location: CredentialField
  readonly subject: CredentialSource
  readonly actor: { readonly source: CredentialSource; readonly enforceMayAct: boolean } | undefined
  readonly more: readonly (readonly [name: string, value: Evaluate])[]
  readonly cache: TokenCache
  readonly issue: (tokens: TradedTokens) => Promise<IssuedToken>
}

/**
 * A credential that is exchanged for the client's token (RFC 8693). If that token was removed from the request because
 * it was verified, the verified one is used. The client's token does not go to the upstream.
 *
 * Requests without a token, with more than one, or with an actor that may not act for the subject get 400.
 */
export const exchangeToken = (options: ExchangeTokenOptions): UpstreamCredential => {
  const { kind, location, subject, actor, cache, issue } = options
  return cachedToken({
    kind,
    location,
    cache,
    tokenRequest: (x) => {
      const tokens = tokensOf(x, options)
      if (!tokens) return tokenMissing()
      return { key: keyOf(tokens), issue: async () => withinLife(await issue(tokens), tokens.subject) }
    },
    prepare: (x) => {
      removeCredential(subject, x)
      if (actor) removeCredential(actor.source, x)
    },
  })
}

const tokensOf = (x: Exchange, { subject, actor, more }: ExchangeTokenOptions): TradedTokens | undefined => {
  const subjectToken = only(readCredentials(subject, x), isBearer(subject) ? x.identity.token : undefined)
  if (subjectToken === undefined) return undefined
  const actorToken = actor && only(readCredentials(actor.source, x))
  if (actor && actorToken === undefined) return undefined
  if (actor?.enforceMayAct && !mayAct(subjectToken, actorToken ?? '')) return undefined
  const values: (readonly [string, string])[] = []
  for (const [name, expression] of more) {
    const result = expression(x)
    if (!('value' in result) || typeof result.value !== 'string') return undefined
    values.push([name, result.value])
  }
  return { subject: subjectToken, actor: actorToken, more: values }
}

const only = (found: readonly string[], otherwise?: string): string | undefined =>
  found.length > 1 ? undefined : (found[0] ?? otherwise)

const isBearer = (source: CredentialSource): boolean =>
  source.kind === 'several'
    ? source.sources.some(isBearer)
    : source.kind === 'header' && source.name === 'authorization'

/** The cache key has hashes only, so that client tokens cannot be read from memory. */
const keyOf = ({ subject, actor, more }: TradedTokens): string =>
  createHash('sha256')
    .update(JSON.stringify([subject, actor ?? null, more]))
    .digest('base64url')

/** An exchanged token may not outlive the client's token. */
const withinLife = ({ text, lifeMs }: IssuedToken, subject: string): IssuedToken => {
  const exp = payloadOf(subject)?.exp
  return { text, lifeMs: typeof exp === 'number' ? Math.min(lifeMs, exp * 1000 - Date.now()) : lifeMs }
}

/** The unverified claims of a JSON Web Token; undefined for any other text. */
const payloadOf = (token: string): Readonly<Record<string, unknown>> | undefined => {
  const [, payload, signature, more] = token.split('.', 4)
  if (payload === undefined || signature === undefined || more !== undefined) return undefined
  const claims = readJson(Buffer.from(payload, 'base64url').toString())
  return typeof claims === 'object' && claims !== null ? (claims as Record<string, unknown>) : undefined
}
