import { asBuffer } from '../../body/as-buffer.ts'
import type { CredentialNeedle, CredentialPattern } from './credential-pattern.ts'

/**
 * Masks credentials with asterisks in bytes that are received in chunks. Lengths do not change, so a declared length
 * stays true. A chunk without credentials is returned as it is.
 */
export class CredentialMask {
  readonly #pattern: CredentialPattern
  /** The end of the bytes received so far, if it may be the beginning of a credential. */
  #partial: Buffer = nothing
  /** How many of these bytes have been passed on. */
  #sentBytes = 0
  /** A credential that continues in the next chunk, and the offset reached. */
  #open: { readonly needle: CredentialNeedle; at: number } | undefined = undefined

  constructor(pattern: CredentialPattern) {
    this.#pattern = pattern
  }

  /** @returns The bytes to pass on; may be empty. */
  push(chunk: Uint8Array): Uint8Array {
    const sent = this.#sentBytes
    const input = asBuffer(chunk)
    let bytes = this.#partial.length ? Buffer.concat([this.#partial, input]) : input
    let isCopy = bytes !== input
    const masked = (from: number, to: number) => {
      if (to <= from) return
      if (!isCopy) bytes = Buffer.from(bytes)
      isCopy = true
      bytes.fill(ASTERISK, from, to)
    }
    let done = 0
    if (this.#open) {
      const { needle, at } = this.#open
      done = endOf(bytes, 0, needle, at)
      masked(0, done)
      this.#continue(bytes, done, needle, at + done)
    }
    while (!this.#open) {
      const found = this.#pattern.find(bytes, done)
      if (!found) break
      const { at, needle } = found
      const end = endOf(bytes, at + needle.head.length, needle, needle.head.length)
      masked(at, end)
      this.#continue(bytes, end, needle, end - at)
      done = end
    }
    const partial = this.#open ? 0 : this.#pattern.begunAt(bytes, done)
    const keptFrom = bytes.length - partial
    const end = partial < LEAST_BUFFERED ? bytes.length : Math.max(keptFrom, sent)
    // The buffer of the chunk may be reused once it has been passed on.
    this.#partial = partial ? Buffer.from(bytes.subarray(keptFrom)) : nothing
    this.#sentBytes = partial ? end - keptFrom : 0
    return sent === 0 && end === bytes.length ? (isCopy ? bytes : chunk) : bytes.subarray(sent, end)
  }

  /** The input has ended. @returns The buffered rest. */
  end(): Uint8Array {
    const rest = this.#partial.subarray(this.#sentBytes)
    this.#partial = nothing
    this.#sentBytes = 0
    this.#open = undefined
    return rest
  }

  #continue(bytes: Buffer, end: number, needle: CredentialNeedle, at: number): void {
    this.#open = end === bytes.length && at < needle.all.length ? { needle, at } : undefined
  }
}

/** Where the match with the rest of a needle ends. */
const endOf = (bytes: Buffer, start: number, { all }: CredentialNeedle, at: number): number => {
  let end = start
  while (end < bytes.length && at < all.length && bytes[end] === all[at]) {
    end++
    at++
  }
  return end
}

/** Masks complete bytes. Returns the same buffer if there is nothing to mask. */
export const maskCredentials = (bytes: Buffer, pattern: CredentialPattern): Buffer => {
  if (!pattern.find(bytes, 0)) return bytes
  const mask = new CredentialMask(pattern)
  const masked = mask.push(bytes)
  return Buffer.concat([masked, mask.end()])
}

/** Masks the value of a header field. */
export const maskCredentialText = (text: string, pattern: CredentialPattern): string =>
  pattern.isIn(text) ? maskCredentials(Buffer.from(text, 'latin1'), pattern).toString('latin1') : text

/** Fewer bytes reveal nothing, and buffering them would delay complete messages. */
const LEAST_BUFFERED = 4
const ASTERISK = 0x2a
const nothing = Buffer.alloc(0)
