import { Buffer } from 'node:buffer'
import type { JsonObject } from '../../../protocols/json/json-object.ts'
import { pickMembers } from '../../../protocols/json/pick-members.ts'
import { readJson, readJsonObject } from '../../../protocols/json/read-json.ts'

const WHOLE_BYTES = 64 * 1024
const HEAD_BYTES = 4 * 1024

/** Members with the model and the usage, in all formats. */
const ATTRIBUTES = [
  'model',
  'modelVersion',
  'model_version',
  'service_tier',
  'serviceTier',
  'usage',
  'usageMetadata',
  'usage_metadata',
  'meta',
  'input_tokens',
  'totalTokens',
]

/**
 * Extracts model and usage from a JSON response as it passes. The rest is not parsed. Providers write the model at
 * the beginning and the usage at one end, so that both ends of a long response, such as embeddings of 100 MB, are
 * enough.
 */
export class AttributeScan {
  #chunks: Buffer[] = []
  #bytes = 0
  #head: Buffer | undefined = undefined
  /** Of a response that was received in one chunk. */
  #text: string | undefined = undefined
  readonly #wholeBytes: number
  readonly #capturesAll: boolean

  /** @param allBytes Up to this size the whole response is captured, not only its attributes. */
  constructor(allBytes?: number) {
    this.#capturesAll = allBytes !== undefined
    this.#wholeBytes = Math.max(allBytes ?? 0, WHOLE_BYTES)
  }

  /** The whole response. The chunk may be reused afterwards: what is kept of it is a copy, here and below. */
  all(chunk: Uint8Array): void {
    if (chunk.length > this.#wholeBytes) this.push(chunk)
    else this.#text = textOf(chunk)
  }

  push(chunk: Uint8Array): void {
    this.#bytes += chunk.length
    this.#chunks.push(Buffer.from(chunk.length > this.#wholeBytes ? ends(chunk) : chunk))
    if (this.#bytes > this.#wholeBytes) this.#shorten()
  }

  /**
   * The attributes, or the whole response if it is to be captured and not too long; undefined if it is not an object.
   */
  read(): JsonObject | undefined {
    const tail = this.#text ?? concatenated(this.#chunks).toString('utf8')
    if (!this.#head) return this.#capturesAll ? readJsonObject(tail) : pickMembers(tail, ATTRIBUTES)
    const head = this.#head.toString('utf8')
    const found: JsonObject = {}
    for (const name of ['model', 'modelVersion', 'service_tier']) {
      const value = scalarIn(head, name)
      if (value !== undefined) found[name] = value
    }
    for (const name of ['usage', 'usageMetadata', 'meta']) {
      const value = objectIn(tail, name) ?? objectIn(head, name)
      if (value) found[name] = value
    }
    return found
  }

  #shorten(): void {
    const all = concatenated(this.#chunks)
    this.#head ??= Buffer.from(all.subarray(0, HEAD_BYTES))
    // Twice as much as needed is kept, to avoid a copy for each chunk.
    if (all.length > WHOLE_BYTES) this.#chunks = [Buffer.from(all.subarray(all.length - WHOLE_BYTES / 2))]
    this.#bytes = this.#chunks[0]?.length ?? 0
  }
}

const concatenated = (chunks: readonly Buffer[]): Buffer => {
  const [only] = chunks
  return only && chunks.length === 1 ? only : Buffer.concat(chunks)
}

const textOf = (chunk: Uint8Array): string =>
  (Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length)).toString(
    'utf8',
  )

const ends = (chunk: Uint8Array): Uint8Array =>
  Buffer.concat([chunk.subarray(0, HEAD_BYTES), chunk.subarray(chunk.length - WHOLE_BYTES / 2)])

const scalarIn = (text: string, name: string): unknown => {
  const found = new RegExp(`"${name}"\\s*:\\s*("(?:[^"\\\\]|\\\\.){0,512}")`).exec(text)?.[1]
  return found === undefined ? undefined : readJson(found)
}

/** The last object with this name. */
const objectIn = (text: string, name: string): JsonObject | undefined => {
  const at = text.lastIndexOf(`"${name}"`)
  const start = at < 0 ? -1 : text.indexOf('{', at)
  if (start < 0 || !/^\s*:\s*$/.test(text.slice(at + name.length + 2, start))) return undefined
  let depth = 0
  for (let i = start; i < text.length; i++) {
    if (text[i] === '{') depth++
    else if (text[i] === '}' && --depth === 0) return readJsonObject(text.slice(start, i + 1))
  }
  return undefined
}
