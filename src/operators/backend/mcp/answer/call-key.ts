import type { Id } from '../../../../protocols/json-rpc/message.ts'
import { readJson } from '../../../../protocols/json/read-json.ts'

/**
 * Names a call in the ids of its events. With the id of the request in it, whoever comes back for an answer that nobody
 * has any more can be told so.
 */
export const callKey = (name: string, id: Id): string => {
  const text = Buffer.from(JSON.stringify(id)).toString('base64url')
  return text.length > LONGEST ? name : `${name}.${text}`
}

/** The id of the request; undefined if the key does not say. */
export const idInKey = (key: string): Id | undefined => {
  const [, text, ...more] = key.split('.')
  if (text === undefined || more.length > 0 || text.length > LONGEST) return undefined
  const id = readJson(Buffer.from(text, 'base64url').toString())
  return typeof id === 'string' || typeof id === 'number' ? id : undefined
}

/** Clients send it back in a header field. */
const LONGEST = 100
