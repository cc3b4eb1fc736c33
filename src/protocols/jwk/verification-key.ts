import { createPublicKey, type KeyObject } from 'node:crypto'
import type { TokenAlgorithm } from '../jwt/compact-jws.ts'

/** A public key for verification. */
export interface VerificationKey {
  readonly id: string
  /** Algorithms of tokens that the key may verify. */
  readonly algorithms: readonly TokenAlgorithm[]
  readonly key: KeyObject
}

/**
 * Parses one JSON Web Key (RFC 7517). Private members are dropped.
 *
 * @returns The problem, completing `the key …`, for an unusable key: without an id, symmetric,
 *   too weak, or for another use.
 */
export const readVerificationKey = (jwk: unknown): VerificationKey | { readonly problem: string } => {
  if (typeof jwk !== 'object' || jwk === null) return { problem: 'is no object' }
  const { kid, kty, crv, alg, use, key_ops: operations } = jwk as Readonly<Record<string, unknown>>
  // First, since a key of a wrong kind stays unusable with an id.
  const kind = kinds[`${String(kty)} ${kty === 'RSA' ? '' : String(crv)}`.trim()]
  if (!kind) return { problem: `is of a kind that is not accepted (kty ${printable(kty)})` }
  if (typeof kid !== 'string' || kid === '') return { problem: 'has no `kid`' }
  if (use !== undefined && use !== 'sig') return { problem: 'is not for signatures' }
  if (operations !== undefined && !(Array.isArray(operations) && operations.includes('verify')))
    return { problem: 'is not for verifying' }
  const algorithms = alg === undefined ? kind.algorithms : kind.algorithms.filter((one) => one === alg)
  if (algorithms.length === 0) return { problem: `has an algorithm that is not accepted (${printable(alg)})` }
  const key = publicKey(kind.parts, jwk as Readonly<Record<string, unknown>>)
  if (!key) return { problem: 'cannot be read' }
  const { modulusLength, publicExponent } = key.asymmetricKeyDetails ?? {}
  if (modulusLength !== undefined && modulusLength < 2048) return { problem: 'is shorter than 2048 bits' }
  if (publicExponent !== undefined && publicExponent < 3n) return { problem: 'is no safe key' }
  return { id: kid, algorithms, key }
}

interface Kind {
  readonly algorithms: readonly TokenAlgorithm[]
  /** The public members. */
  readonly parts: readonly string[]
}

const kinds: Readonly<Record<string, Kind>> = {
  RSA: { algorithms: ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'], parts: ['kty', 'n', 'e'] },
  'EC P-256': { algorithms: ['ES256'], parts: ['kty', 'crv', 'x', 'y'] },
  'EC P-384': { algorithms: ['ES384'], parts: ['kty', 'crv', 'x', 'y'] },
  'OKP Ed25519': { algorithms: ['EdDSA'], parts: ['kty', 'crv', 'x'] },
}

const publicKey = (
  parts: readonly string[],
  jwk: Readonly<Record<string, unknown>>,
): KeyObject | undefined => {
  try {
    return createPublicKey({
      key: Object.fromEntries(parts.map((name) => [name, jwk[name]])),
      format: 'jwk',
    })
  } catch {
    return undefined
  }
}

const printable = (value: unknown): string => JSON.stringify(value ?? null).slice(0, 40)
