import type { Id } from '../../../../protocols/json-rpc/message.ts'
import { readJson } from '../../../../protocols/json/read-json.ts'

/**
 * Names a call in the ids of its events. With the id of the request in it, whoever comes back for an answer that nobody
 * has any more can be told so.
 *
 * @param keeper Who has the answer, sealed, where others can be asked for it.
 */
export const callKey = (name: string, id: Id, keeper = ''): string => {
  const text = Buffer.from(JSON.stringify(id)).toString('base64url')
  const told = text.length > LONGEST ? '' : text
  if (keeper) return `${name}.${told}.${keeper}`
  return told ? `${name}.${told}` : name
}

/** The id of the request; undefined if the key does not say. */
export const idInKey = (key: string): Id | undefined => {
  const [, text = '', , ...more] = key.split('.')
  if (text === '' || more.length > 0 || text.length > LONGEST) return undefined
  const id = readJson(Buffer.from(text, 'base64url').toString())
  return typeof id === 'string' || typeof id === 'number' ? id : undefined
}

/** What the key says of who has the answer. */
export const keeperInKey = (key: string): string | undefined => key.split('.')[2]

/** Clients send it back in a header field. */
const LONGEST = 100
