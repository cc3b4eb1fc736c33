import type { CredentialPlace } from '../../model/credential-location.ts'
import type { Exchange } from '../../model/exchange.ts'
import type { Reply } from '../../model/reply.ts'
import type { Issue, TokenMemory } from '../../upstream/credentials/token-memory.ts'
import type { UpstreamCredential } from './authenticate-upstream.ts'

/** A token that serves more than one request. */
export interface RememberedTokenOptions {
  /** How the trace calls it. */
  readonly kind: string
  readonly place: CredentialPlace
  readonly memory: TokenMemory
  /** What the exchange needs a token for, and who issues it if none is remembered; or the refusal of the request. */
  readonly wanted: (x: Exchange) => { readonly key: string; readonly issue: Issue } | Reply
  readonly prepare?: ((x: Exchange) => void) | undefined
}

/** A credential that is issued once and remembered; where the upstream refuses it, another one is had. */
export const rememberedToken = (options: RememberedTokenOptions): UpstreamCredential => {
  const { kind, place, memory, wanted, prepare } = options
  const used = new WeakMap<Exchange, { readonly key: string; readonly token: string }>()
  return {
    kind,
    place,
    prepare,
    of: (x) => {
      const want = wanted(x)
      if (!('key' in want)) return want
      const { key, issue } = want
      const note = (token: string): string => {
        used.set(x, { key, token })
        return token
      }
      const token = memory.get(key, issue)
      return typeof token === 'string' ? note(token) : token.then(note)
    },
    refused: (x) => {
      const last = used.get(x)
      return last !== undefined && memory.refused(last.key, last.token)
    },
  }
}
