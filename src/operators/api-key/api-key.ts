import { hash } from 'node:crypto'
import { Secret } from '../../cel/headers-view.ts'
import type { ApiKey, ApiKeys } from '../../model/api-key.ts'
import type { Exchange } from '../../model/exchange.ts'
import { deny, type Reply } from '../../model/reply.ts'
import { type Decide, onRequest, type Operator } from '../../pipeline/stage.ts'
import { bodiesReadBy, holding } from '../body/hold.ts'
import { applied, skipped } from '../policy-note.ts'
import { concealCredentials, type CredentialSource } from './credential-location.ts'
import { takingSource } from './taken-credentials.ts'

/** Who is let in. */
export interface ApiKeyOptions extends Omit<ApiKeys, 'location'> {
  readonly source: CredentialSource
  /** How much of a request body the source may read, if it is an expression; a longer one is refused with 413. */
  readonly bufferLimitBytes: number
}

/**
 * Answers 401 `api_key_failed` unless a known API key came along, and takes the key out of the request. Without one,
 * `optional` lets it pass as nobody, and `permissive` with a wrong one as well.
 * A key that an outer one has taken out of the request already is judged like any other.
 *
 * Belongs before authorization: rules read `apiKey`. Keys are looked up by their hash, so that the time it takes says
 * nothing about how much of a guess was right.
 */
export const apiKey = ({ keys, mode, source, bufferLimitBytes }: ApiKeyOptions): Operator => {
  const holders = new Map(keys.map((key) => [key.hash.secret, new Holder(key)]))
  const challenge = challengeFor(source)
  const taking = takingSource('apiKey', source)

  const refused = (x: Exchange, why: string): Reply => {
    x.probe?.note(applied('api_key', `refused: ${why}`))
    const message = `api key authentication failure: ${why}`
    const headers = { 'www-authenticate': challenge }
    return deny(401, 'api_key_failed', { message, reason: 'APIKeyAuth', headers })
  }

  const decide: Decide = (x) => {
    const credentials = taking.read(x)
    const [credential] = credentials
    if (credential === undefined) {
      if (mode === 'strict') return refused(x, 'no API Key found')
      x.probe?.note(skipped('api_key', 'there is no key'))
      return undefined
    }
    concealCredentials(source, x, credentials)
    const holder = credentials.length === 1 ? holders.get(hash('sha256', credential)) : undefined
    if (!holder) {
      if (mode !== 'permissive') return refused(x, 'invalid credentials')
      x.probe?.note(skipped('api_key', 'the key is unknown'))
      return undefined
    }
    const { allowedModels } = holder.key
    x.identity = {
      ...x.identity,
      apiKey: holder.facts(credential),
      ...(allowedModels && { allowedModels }),
      taken: taking.take(x, credential),
    }
    x.probe?.note(applied('api_key', 'the key is known'))
    return undefined
  }

  const expressions = source.kind === 'expression' ? [source.expression] : []
  return onRequest('api-key', holding(bodiesReadBy(expressions), bufferLimitBytes, decide))
}

/** Whose a key is. */
class Holder {
  readonly key: ApiKey
  #facts: object | undefined = undefined

  constructor(key: ApiKey) {
    this.key = key
  }

  /** Always the same object, because expressions keep what they convert. The credential always is the same, too. */
  facts(credential: string): object {
    return (this.#facts ??= { ...this.key.metadata, key: new Secret(credential) })
  }
}

/** A scheme that tells the client what to send (RFC 9110 §11.6.1); there is no registered one for keys elsewhere. */
const challengeFor = (source: CredentialSource): string => {
  if (source.kind !== 'header' || source.name !== 'authorization') return 'ApiKey'
  const scheme = source.prefix?.trim() ?? ''
  return /^[A-Za-z0-9-]+$/.test(scheme) ? scheme : 'ApiKey'
}
