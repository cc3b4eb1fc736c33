import { ApiFailure } from './api-failure.ts'

/**
 * Parses a stream of JSON values, one a line. Lines are cut as bytes, so that characters may be split between chunks.
 * An incomplete line at the end is no value.
 */
export class JsonLines {
  readonly #limitBytes: number
  readonly #onValue: (value: unknown) => void
  #buffered: Buffer[] = []
  #bufferedBytes = 0

  constructor(limitBytes: number, onValue: (value: unknown) => void) {
    this.#limitBytes = limitBytes
    this.#onValue = onValue
  }

  /** Throws an {@link ApiFailure} if a line is too long, or is not JSON. */
  push(chunk: Buffer): void {
    let start = 0
    for (let end = chunk.indexOf(LF); end >= 0; end = chunk.indexOf(LF, start)) {
      this.#append(chunk.subarray(start, end))
      this.#complete()
      start = end + 1
    }
    this.#append(chunk.subarray(start))
  }

  #append(part: Buffer): void {
    if (part.length === 0) return
    this.#bufferedBytes += part.length
    if (this.#bufferedBytes > this.#limitBytes)
      throw new ApiFailure(0, 'TooLarge', `a watch event is larger than ${this.#limitBytes} bytes`)
    this.#buffered.push(part)
  }

  #complete(): void {
    const text = Buffer.concat(this.#buffered).toString('utf8')
    this.#buffered = []
    this.#bufferedBytes = 0
    if (text.trim() !== '') this.#onValue(parseApiJson(text))
  }
}

/** Parses JSON that the API server sent. The text is not part of the failure: it may be a Secret. */
export const parseApiJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    throw new ApiFailure(0, 'Malformed', `the API server sent ${text.length} characters that are not JSON`)
  }
}

const LF = 10
