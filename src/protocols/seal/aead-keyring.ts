import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'
import type { SecretText } from '../../model/policies/secret-text.ts'

/** Bytes of a key. */
const SEAL_KEY_BYTES = 32

/**
 * Seals texts that clients store for the gateway, with AES-256-GCM: a client cannot read or change them, nor
 * use one for another purpose.
 *
 * The first key seals, all of them open, so that keys can be rotated: first add the new key after the old
 * one on every replica, then before it, and remove the old one when no text sealed with it can be left.
 *
 * @example
 * const ring = new Keyring([randomBytes(32)])
 * ring.open(ring.seal('text', 'a purpose'), 'a purpose') // 'text'
 */
export class Keyring {
  readonly #first: SealKey
  readonly #keys: readonly SealKey[]

  /** @throws TypeError without keys, and for a key of other than 32 bytes. */
  constructor(keys: readonly Buffer[]) {
    this.#keys = keys.map((key) => new SealKey(key))
    const [first] = this.#keys
    if (!first) throw new TypeError('a ring needs a key')
    this.#first = first
  }

  /** A keyring of hexadecimal keys; of a random one if there are none. */
  static of(keys: readonly SecretText[]): Keyring {
    if (keys.length === 0) return new Keyring([randomBytes(SEAL_KEY_BYTES)])
    return new Keyring(keys.map(({ secret }) => Buffer.from(secret, 'hex')))
  }

  /** @param purpose The purpose of the text, which must be the same to open it. */
  seal(text: string, purpose: string): string {
    return this.#first.seal(text, purpose)
  }

  /** @returns Undefined unless it was sealed with one of the keys, for this purpose. */
  open(sealed: string, purpose: string): string | undefined {
    const bytes = Buffer.from(sealed, 'base64url')
    if (bytes.length < OVERHEAD_BYTES) return undefined
    return this.#keys.find((key) => key.made(bytes))?.open(bytes, purpose)
  }
}

/**
 * Identifies the key, so that only one key is tried; then a nonce and the tag of GCM, then the ciphertext.
 */
const ID_BYTES = 4
const NONCE_BYTES = 12
const TAG_BYTES = 16
const OVERHEAD_BYTES = ID_BYTES + NONCE_BYTES + TAG_BYTES
const CIPHER = 'aes-256-gcm'

class SealKey {
  readonly #key: Buffer
  readonly #id: Buffer

  constructor(key: Buffer) {
    if (key.length !== SEAL_KEY_BYTES) throw new TypeError(`a key has ${SEAL_KEY_BYTES} bytes`)
    this.#key = key
    this.#id = createHash('sha256').update('id of a sealing key').update(key).digest().subarray(0, ID_BYTES)
  }

  made(bytes: Buffer): boolean {
    return this.#id.equals(bytes.subarray(0, ID_BYTES))
  }

  seal(text: string, purpose: string): string {
    const nonce = randomBytes(NONCE_BYTES)
    const cipher = createCipheriv(CIPHER, this.#key, nonce)
    cipher.setAAD(Buffer.from(purpose))
    const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
    return Buffer.concat([this.#id, nonce, cipher.getAuthTag(), body]).toString('base64url')
  }

  open(bytes: Buffer, purpose: string): string | undefined {
    const nonce = bytes.subarray(ID_BYTES, ID_BYTES + NONCE_BYTES)
    const decipher = createDecipheriv(CIPHER, this.#key, nonce, { authTagLength: TAG_BYTES })
    decipher.setAAD(Buffer.from(purpose))
    decipher.setAuthTag(bytes.subarray(ID_BYTES + NONCE_BYTES, OVERHEAD_BYTES))
    try {
      return Buffer.concat([decipher.update(bytes.subarray(OVERHEAD_BYTES)), decipher.final()]).toString()
    } catch {
      return undefined
    }
  }
}
