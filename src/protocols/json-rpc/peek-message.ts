import { jsonPeek } from '../json/find-by-path.ts'
import { readJson } from '../json/read-json.ts'

/** The parts of a message that are read without parsing it. */
export interface PeekedMessage {
  /** Undefined for a response and for an invalid message. */
  readonly method: string | undefined
  /** The id of a request as JSON text; `null` for other messages, and if it is beyond the end of the text. */
  readonly id: string
}

/** Reads parts of a message, or of its beginning. Batches have none. */
export const peekMessage = (text: string): PeekedMessage => {
  const found = peek(text)
  const method = parsed(found.get('method'))
  if (typeof method !== 'string') return { method: undefined, id: 'null' }
  const written = found.get('id')
  const id = parsed(written)
  // The original JSON text: numbers may be too large for a double.
  return {
    method,
    id: written !== undefined && (typeof id === 'string' || typeof id === 'number') ? written : 'null',
  }
}

const peek = jsonPeek(['method', 'id'])

const parsed = (written: string | undefined): unknown => {
  return written === undefined ? undefined : readJson(written)
}
