import { readJson } from '../json/read-json.ts'
import type { TokenAlgorithm } from '../jwt/signed-text.ts'
import { readVerificationKey, type VerificationKey } from './verification-key.ts'

/** A set of keys that does not change. Another set is another ring: who remembers what a ring verified compares rings. */
export class KeyRing {
  readonly #keys: ReadonlyMap<string, readonly VerificationKey[]>
  /** Why keys of the document were left out, as sentences. */
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

  /** The key of this id, if it is one for this algorithm. */
  find(id: string, algorithm: TokenAlgorithm): VerificationKey | undefined {
    return this.#keys.get(id)?.find(({ algorithms }) => algorithms.includes(algorithm))
  }
}

/** More keys than this are no key set of an identity provider. */
const MAX_KEYS = 256

/**
 * Reads a JSON Web Key Set (RFC 7517 §5). Keys that cannot be used are left out, as the RFC asks for.
 *
 * @returns the reason, completing `the key set …`, for a text that is none.
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
