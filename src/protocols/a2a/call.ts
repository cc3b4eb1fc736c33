import { jsonPeek } from '../json/find-by-path.ts'
import { readJson } from '../json/read-json.ts'

/** The parts of a call that are recorded. */
export interface A2aCall {
  /** Such as `message/send` or `SendMessage`. */
  readonly method: string
  /** Its id as JSON text; `null` if it has none. */
  readonly id: string
}

/**
 * Reads the method and the id of a JSON-RPC request.
 *
 * @param text The request, or its beginning.
 * @returns Undefined if it is not such a request, or the members are not within the text.
 */
export const a2aCallOf = (text: string): A2aCall | undefined => {
  const found = peek(text)
  const method = jsonStringAt(found.get('method'))
  if (method === undefined) return undefined
  return { method: shortened(method), id: idOf(found.get('id')) }
}

/** The decoded text of a JSON string. */
export const jsonStringAt = (written: string | undefined): string | undefined => {
  const value = written?.startsWith('"') ? readJson(written) : undefined
  return typeof value === 'string' ? value : undefined
}

/** Limits the length of texts from clients in logs. */
export const shortened = (text: string): string =>
  text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text

const MAX_LENGTH = 128

const peek = jsonPeek(['method', 'id'])

/** The original JSON text: numbers may be too large for a double. */
const idOf = (written: string | undefined): string => {
  const value = written === undefined ? undefined : readJson(written)
  return written !== undefined && (typeof value === 'string' || typeof value === 'number') ? written : 'null'
}
