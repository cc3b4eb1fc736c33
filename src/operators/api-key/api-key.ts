import { hash } from 'node:crypto'
import { Secret } from '../../cel/context/headers-view.ts'
import type { ApiKey, ApiKeys } from './schema.ts'
import { DEFAULT_BUFFER_BYTES } from '../../model/exchange/buffer-limit.ts'
import type { Exchange } from '../../model/exchange/exchange.ts'
import { deny, type Reply } from '../../model/exchange/reply.ts'
import { type Decide, onRequest, type Operator } from '../../pipeline/stage.ts'
import { bodiesReadBy, withBufferedBodies } from '../body/buffer-body.ts'
import { applied, skipped } from '../trace-policy.ts'
import { sourceDescription } from '../credentials/source-description.ts'
import {
  redactSourceCredentials,
  type CredentialSource,
  expressionsIn,
} from '../credentials/credential-source.ts'
import { consumingSource } from '../credentials/consumed-credentials.ts'

/** Which keys are accepted, and where they are read. */
export interface ApiKeyOptions extends Omit<ApiKeys, 'location'> {
  readonly source: CredentialSource
  /**
   * Longest request body that an expression for the location may read, in bytes; a longer one is refused with 413. 2
   * MiB by default.
   */
  readonly bufferLimitBytes?: number | undefined
}

/**
 * Refuses with 401 `api_key_failed` unless a known API key is sent, and removes the key from the request. In mode
 * `optional` a request without a key passes unauthenticated, in mode `permissive` one with a wrong key as well. A key
 * that an outer policy has removed from the request already is checked like any other.
 *
 * Belongs before authorization: rules read `apiKey`. Keys are looked up by their hash, so that the time of a lookup
 * reveals nothing about how much of a guessed key was right.
 */
export const apiKey = ({
  keys,
  mode,
  source,
  bufferLimitBytes = DEFAULT_BUFFER_BYTES,
}: ApiKeyOptions): Operator => {
  const holders = new Map(keys.map((key) => [key.hash.secret, new KeyOwner(key)]))
  const challenge = challengeFor(source)
  const taking = consumingSource('apiKey', source)

  const refused = (x: Exchange, why: string): Reply => {
    x.probe?.record(applied('api_key', `refused: ${why}`))
    const message = `api key authentication failure: ${why}`
    const headers = { 'www-authenticate': challenge }
    return deny(401, 'api_key_failed', { message, reason: 'APIKeyAuth', headers })
  }

  const decide: Decide = (x) => {
    const credentials = taking.read(x)
    const [credential] = credentials
    if (credential === undefined) {
      if (mode === 'strict') return refused(x, `no API Key found${sourceDescription(source)}`)
      x.probe?.record(skipped('api_key', 'there is no key'))
      return undefined
    }
    redactSourceCredentials(source, x, credentials)
    if (credentials.length > 1 && mode !== 'permissive' && source.kind === 'several')
      return refused(x, `there are different keys${sourceDescription(source)}`)
    const owner = credentials.length === 1 ? holders.get(hash('sha256', credential)) : undefined
    if (!owner) {
      if (mode !== 'permissive') return refused(x, 'invalid credentials')
      x.probe?.record(skipped('api_key', 'the key is unknown'))
      return undefined
    }
    const { allowedModels } = owner.key
    x.identity = {
      ...x.identity,
      apiKey: owner.attributes(credential),
      ...(allowedModels && { allowedModels }),
      consumed: taking.consume(x, credential),
    }
    x.probe?.record(applied('api_key', 'the key is known'))
    return undefined
  }

  return onRequest(
    'api-key',
    withBufferedBodies(bodiesReadBy(expressionsIn(source)), bufferLimitBytes, decide),
  )
}

/** The owner of a key. */
class KeyOwner {
  readonly key: ApiKey
  #attributes: object | undefined = undefined

  constructor(key: ApiKey) {
    this.key = key
  }

  /**
   * Always the same object, because expressions cache converted values by identity. The credential of an owner never
   * changes.
   */
  attributes(credential: string): object {
    return (this.#attributes ??= { ...this.key.metadata, key: new Secret(credential) })
  }
}

/** The challenge of a 401 (RFC 9110 §11.6.1). No scheme is registered for keys in other fields. */
const challengeFor = (source: CredentialSource): string => {
  if (source.kind === 'several') {
    const schemes = source.sources.map(challengeFor)
    return schemes.find((scheme) => scheme !== 'ApiKey') ?? 'ApiKey'
  }
  if (source.kind !== 'header' || source.name !== 'authorization') return 'ApiKey'
  const scheme = source.prefix?.trim() ?? ''
  return /^[A-Za-z0-9-]+$/.test(scheme) ? scheme : 'ApiKey'
}
