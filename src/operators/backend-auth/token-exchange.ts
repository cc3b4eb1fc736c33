import { createHash } from 'node:crypto'
import type { Evaluate } from '../../model/evaluate.ts'
import type { CredentialPlace } from '../../model/credential-location.ts'
import type { Exchange } from '../../model/exchange.ts'
import type { IssuedToken, TokenMemory } from '../../upstream/credentials/token-memory.ts'
import type { TradedTokens } from '../../upstream/credentials/token-parameters.ts'
import { tokenMissing, type UpstreamCredential } from './authenticate-upstream.ts'
import { type CredentialSource, readCredentials, removeCredential } from './credential-location.ts'
import { payloadOf } from './jwt-payload.ts'
import { mayAct } from './may-act.ts'
import { rememberedToken } from './remembered-token.ts'

/** How the token of a client is traded for another one. */
export interface ExchangeTokenOptions {
  readonly kind: string
  readonly place: CredentialPlace
  readonly subject: CredentialSource
  readonly actor: { readonly source: CredentialSource; readonly enforceMayAct: boolean } | undefined
  readonly more: readonly (readonly [name: string, value: Evaluate])[]
  readonly memory: TokenMemory
  readonly issue: (tokens: TradedTokens) => Promise<IssuedToken>
}

/**
 * A token that another one is had for, the one that the client sent. Where that was taken out of the request because it
 * was verified, the verified one counts. It does not go to the upstream.
 *
 * Requests without a token, with more than one, or with an actor that may not act for the subject get 400.
 */
export const exchangeToken = (options: ExchangeTokenOptions): UpstreamCredential => {
  const { kind, place, subject, actor, memory, issue } = options
  return rememberedToken({
    kind,
    place,
    memory,
    wanted: (x) => {
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
  source.kind === 'header' && source.name === 'authorization'

/** Tokens are kept by what they are for, not by what they were had for: nobody finds that in memory. */
const keyOf = ({ subject, actor, more }: TradedTokens): string =>
  createHash('sha256')
    .update(JSON.stringify([subject, actor ?? null, more]))
    .digest('base64url')

/** Whose token has expired has no right to what was had for it. */
const withinLife = ({ text, lifeMs }: IssuedToken, subject: string): IssuedToken => {
  const exp = payloadOf(subject)?.exp
  return { text, lifeMs: typeof exp === 'number' ? Math.min(lifeMs, exp * 1000 - Date.now()) : lifeMs }
}
