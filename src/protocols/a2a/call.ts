import { jsonPeek } from '../json/peek-json.ts'
import { readJson } from '../json/read-json.ts'

/** What is known of a call before it is answered. */
export interface A2aCall {
  /** Such as `message/send` or `SendMessage`. */
  readonly method: string
  /** Its id as it is written in JSON; `null` if it has none. */
  readonly id: string
}

/**
 * Reads the method and the id of a JSON-RPC request.
 *
 * @param text The request, or its beginning.
 * @returns Undefined if it is no such request, or says so too late.
 */
export const a2aCallOf = (text: string): A2aCall | undefined => {
  const found = peek(text)
  const method = jsonText(found.get('method'))
  if (method === undefined) return undefined
  return { method: shortened(method), id: idOf(found.get('id')) }
}

/** A string of JSON as the text that it stands for. */
export const jsonText = (written: string | undefined): string | undefined => {
  const value = written?.startsWith('"') ? readJson(written) : undefined
  return typeof value === 'string' ? value : undefined
}

/** Texts of strangers that end up in logs are no longer than this. */
export const shortened = (text: string): string =>
  text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text

const MAX_LENGTH = 128

const peek = jsonPeek(['method', 'id'])

/** It is repeated as it was written: numbers may be larger than ours. */
const idOf = (written: string | undefined): string => {
  const value = written === undefined ? undefined : readJson(written)
  return written !== undefined && (typeof value === 'string' || typeof value === 'number') ? written : 'null'
}
