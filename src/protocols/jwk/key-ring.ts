import { readJson } from '../json/read-json.ts'
import type { TokenAlgorithm } from '../jwt/compact-jws.ts'
import { readVerificationKey, type VerificationKey } from './verification-key.ts'

/**
 * An immutable set of keys. An update creates a new ring: caches of verified tokens compare rings by
 * identity.
 */
export class KeyRing {
  readonly #keys: ReadonlyMap<string, readonly VerificationKey[]>
  /** The reasons for ignored keys of the document, as sentences. */
  readonly ignored: readonly string[]

  constructor(keys: readonly VerificationKey[], ignored: readonly string[] = []) {
    const byId = new Map<string, VerificationKey[]>()
    for (const key of keys) byId.set(key.id, [...(byId.get(key.id) ?? []), key])
    this.#keys = byId
    this.ignored = ignored
  }

  /** Ids of the keys. */
  get ids(): readonly string[] {
    return [...this.#keys.keys()]
  }

  has(id: string): boolean {
    return this.#keys.has(id)
  }

  /** The key of this id, if it fits the algorithm. */
  find(id: string, algorithm: TokenAlgorithm): VerificationKey | undefined {
    return this.#keys.get(id)?.find(({ algorithms }) => algorithms.includes(algorithm))
  }
}

/** A key set of an identity provider has no more keys than this. */
const MAX_KEYS = 256

/**
 * Parses a JSON Web Key Set (RFC 7517 §5). Unusable keys are ignored, as the RFC requires.
 *
 * @returns The problem, completing `the key set …`, if the text is invalid.
 */
export const readKeyRing = (text: string): KeyRing | { readonly problem: string } => {
  const document = readJson(text)
  if (document === undefined) return { problem: 'is not JSON' }
  const keys =
    typeof document === 'object' && document !== null && 'keys' in document ? document.keys : undefined
  if (!Array.isArray(keys)) return { problem: 'has no list `keys`' }
  if (keys.length > MAX_KEYS) return { problem: `has more than ${MAX_KEYS} keys` }
  const read = keys.map(readVerificationKey)
  return new KeyRing(
    read.filter((one) => 'key' in one),
    read.flatMap((one, index) => ('problem' in one ? `key ${index} ${one.problem}` : [])),
  )
}
