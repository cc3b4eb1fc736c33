import { jsonPeek } from '../json/peek-json.ts'
import { readJson } from '../json/read-json.ts'

/** What is seen of a message without reading it. */
export interface PeekedMessage {
  /** Undefined if it has none: an answer, or no message at all. */
  readonly method: string | undefined
  /** The id of a request as it is written in JSON; `null` for everything else, and where it comes too late. */
  readonly id: string
}

/** Looks at a message, or at its beginning. Of a batch nothing is seen. */
export const peekMessage = (text: string): PeekedMessage => {
  const found = peek(text)
  const method = parsed(found.get('method'))
  if (typeof method !== 'string') return { method: undefined, id: 'null' }
  const written = found.get('id')
  const id = parsed(written)
  // Repeated as it was written: numbers may be larger than ours.
  return {
    method,
    id: written !== undefined && (typeof id === 'string' || typeof id === 'number') ? written : 'null',
  }
}

const peek = jsonPeek(['method', 'id'])

const parsed = (written: string | undefined): unknown => {
  return written === undefined ? undefined : readJson(written)
}
