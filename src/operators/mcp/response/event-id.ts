import type { Id } from '../../../protocols/json-rpc/message.ts'
import { readJson } from '../../../protocols/json/read-json.ts'

/**
 * The key of a call in the ids of its events. It contains the id of the request, so that a client that resumes a lost
 * response gets an error for that id.
 *
 * @param ownerToken The replica that keeps the response, sealed, where replicas can reach one another.
 */
export const callKey = (name: string, id: Id, ownerToken = ''): string => {
  const text = Buffer.from(JSON.stringify(id)).toString('base64url')
  const encoded = text.length > LONGEST ? '' : text
  if (ownerToken) return `${name}.${encoded}.${ownerToken}`
  return encoded ? `${name}.${encoded}` : name
}

/** The id of the request; undefined if the key has none. */
export const idInKey = (key: string): Id | undefined => {
  const [, text = '', , ...more] = key.split('.')
  if (text === '' || more.length > 0 || text.length > LONGEST) return undefined
  const id = readJson(Buffer.from(text, 'base64url').toString())
  return typeof id === 'string' || typeof id === 'number' ? id : undefined
}

/** The owner token in the key. */
export const ownerTokenInKey = (key: string): string | undefined => key.split('.')[2]

/** Clients send it back in a header. */
const LONGEST = 100
