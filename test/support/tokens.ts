import { constants, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'

/** A key pair that signs tokens, like an identity provider's. */
export interface Signer {
  readonly kid: string
  readonly privateKey: KeyObject
  readonly publicKey: KeyObject
  /** The public key in the form of a key set. */
  readonly jwk: Readonly<Record<string, unknown>>
  /** A token with these claims, and these fields in its header beside `alg` and `kid`. */
  token(claims: Claims, header?: Claims): string
  /** The same of parts that are encoded already, or no JSON at all. */
  sign(header: string, payload: string): string
}

type Claims = Readonly<Record<string, unknown>>
type Kind = 'RS256' | 'RS384' | 'RS512' | 'PS256' | 'PS384' | 'PS512' | 'ES256' | 'ES384' | 'EdDSA'

/** Creates a key pair and its signer. */
export const signer = (kid: string, alg: Kind = 'ES256'): Signer => {
  const { publicKey, privateKey } = pair(alg)
  const jwk = { ...publicKey.export({ format: 'jwk' }), kid, alg, use: 'sig' }
  const signed = (header: string, payload: string): string => {
    const input = `${header}.${payload}`
    return `${input}.${signature(alg, privateKey, input).toString('base64url')}`
  }
  return {
    kid,
    privateKey,
    publicKey,
    jwk,
    token: (claims, header = {}) => signed(part({ alg, kid, ...header }), part(claims)),
    sign: signed,
  }
}

/** A part of a token: JSON, or bytes, as base64url. */
export const part = (value: object | string | Buffer): string =>
  (Buffer.isBuffer(value)
    ? value
    : Buffer.from(typeof value === 'string' ? value : JSON.stringify(value))
  ).toString('base64url')

/** The key set of some signers. */
export const keySetOf = (...signers: readonly Pick<Signer, 'jwk'>[]): string =>
  JSON.stringify({ keys: signers.map(({ jwk }) => jwk) })

/** Seconds since the epoch, with an offset from now. */
export const secondsFromNow = (seconds: number): number => Math.floor(Date.now() / 1000) + seconds

const pair = (alg: Kind) => {
  if (alg === 'EdDSA') return generateKeyPairSync('ed25519')
  if (alg === 'ES256') return generateKeyPairSync('ec', { namedCurve: 'P-256' })
  if (alg === 'ES384') return generateKeyPairSync('ec', { namedCurve: 'P-384' })
  return generateKeyPairSync('rsa', { modulusLength: 2048 })
}

const signature = (alg: Kind, key: KeyObject, input: string): Buffer => {
  const bytes = Buffer.from(input)
  if (alg === 'EdDSA') return sign(null, bytes, key)
  const digest = `sha${alg.slice(2)}`
  if (alg.startsWith('ES')) return sign(digest, bytes, { key, dsaEncoding: 'ieee-p1363' })
  if (alg.startsWith('RS')) return sign(digest, bytes, key)
  const padding = constants.RSA_PKCS1_PSS_PADDING
  return sign(digest, bytes, { key, padding, saltLength: Number(alg.slice(2)) / 8 })
}
