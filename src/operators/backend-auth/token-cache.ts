import type { CredentialField } from '../../model/policies/credential-location.ts'
import type { Exchange } from '../../model/exchange/exchange.ts'
import type { Reply } from '../../model/exchange/reply.ts'
import type { Issue, TokenCache } from '../../upstream/credentials/token-cache.ts'
import type { UpstreamCredential } from './backend-auth.ts'

/** A token that serves more than one request. */
export interface CachedTokenOptions {
  /** Its name in the trace. */
  readonly kind: string
  readonly location: CredentialField
  readonly cache: TokenCache
  /**
   * The cache key of the token that the exchange needs, and how it is issued if it is not cached; or the refusal of the
   * request.
   */
  readonly tokenRequest: (x: Exchange) => { readonly key: string; readonly issue: Issue } | Reply
  readonly prepare?: ((x: Exchange) => void) | undefined
}

/** A credential that is issued once and cached; if the upstream rejects it, a new one is issued. */
export const cachedToken = (options: CachedTokenOptions): UpstreamCredential => {
  const { kind, location, cache, tokenRequest, prepare } = options
  const used = new WeakMap<Exchange, { readonly key: string; readonly token: string }>()
  return {
    kind,
    location,
    prepare,
    of: (x) => {
      const request = tokenRequest(x)
      if (!('key' in request)) return request
      const { key, issue } = request
      const recordUse = (token: string): string => {
        used.set(x, { key, token })
        return token
      }
      const token = cache.get(key, issue)
      return typeof token === 'string' ? recordUse(token) : token.then(recordUse)
    },
    refused: (x) => {
      const last = used.get(x)
      return last !== undefined && cache.refused(last.key, last.token)
    },
  }
}
