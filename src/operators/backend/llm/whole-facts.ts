import type { JsonObject } from '../../../protocols/json/json-object.ts'
import { readJson, readJsonObject } from '../../../protocols/json/read-json.ts'

const WHOLE_BYTES = 64 * 1024
const HEAD_BYTES = 4 * 1024

/**
 * Finds out what a JSON answer says of itself while it goes by: which model, and what was used. Providers write the
 * model at the beginning and usage at one end, so that of a long answer, such as embeddings of 100 MB, the ends are enough.
 */
export class WholeFacts {
  #chunks: Buffer[] = []
  #bytes = 0
  #head: Buffer | undefined = undefined
  /** Of an answer that came in one piece. */
  #text: string | undefined = undefined
  readonly #wholeBytes: number

  /** @param wholeBytes Of answers up to this size all is kept to be read; of longer ones both ends. */
  constructor(wholeBytes = WHOLE_BYTES) {
    this.#wholeBytes = Math.max(wholeBytes, WHOLE_BYTES)
  }

  /** The answer, in one piece. The chunk may be used again afterwards: what is kept of it is a copy, here and below. */
  all(chunk: Uint8Array): void {
    if (chunk.length > this.#wholeBytes) this.push(chunk)
    else this.#text = textOf(chunk)
  }

  push(chunk: Uint8Array): void {
    this.#bytes += chunk.length
    this.#chunks.push(Buffer.from(chunk.length > this.#wholeBytes ? ends(chunk) : chunk))
    if (this.#bytes > this.#wholeBytes) this.#shorten()
  }

  /** The answer, or an object with those of its fields that could be found; undefined if it is none. */
  read(): JsonObject | undefined {
    if (this.#text !== undefined) return readJsonObject(this.#text)
    const tail = inOne(this.#chunks).toString('utf8')
    if (!this.#head) return readJsonObject(tail)
    const head = this.#head.toString('utf8')
    const found: JsonObject = {}
    for (const name of ['model', 'modelVersion', 'id', 'service_tier']) {
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
    const all = inOne(this.#chunks)
    this.#head ??= Buffer.from(all.subarray(0, HEAD_BYTES))
    // Twice as much as is wanted stays, so that it is not copied for each chunk.
    if (all.length > WHOLE_BYTES) this.#chunks = [Buffer.from(all.subarray(all.length - WHOLE_BYTES / 2))]
    this.#bytes = this.#chunks[0]?.length ?? 0
  }
}

const inOne = (chunks: readonly Buffer[]): Buffer => {
  const [only] = chunks
  return only && chunks.length === 1 ? only : Buffer.concat(chunks)
}

const textOf = (chunk: Uint8Array): string =>
  Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length).toString('utf8')

const ends = (chunk: Uint8Array): Uint8Array =>
  Buffer.concat([chunk.subarray(0, HEAD_BYTES), chunk.subarray(chunk.length - WHOLE_BYTES / 2)])

const scalarIn = (text: string, name: string): unknown => {
  const found = new RegExp(`"${name}"\\s*:\\s*("(?:[^"\\\\]|\\\\.){0,512}")`).exec(text)?.[1]
  return found === undefined ? undefined : readJson(found)
}

/** The last object of this name. */
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
