import type { ReceivedEvent } from '../../../../protocols/sse/event-parser.ts'

/**
 * Removes from a server-sent event what no guard checks: comments, ids, unknown fields, and names that are not part
 * of the formats. Other events keep their bytes. An event of which nothing is left becomes an empty comment, since it
 * may keep a connection alive.
 *
 * @param received The parsed event; undefined if it has no data.
 * @param type The type in its data.
 * @param names Other allowed event names.
 */
export const cleanEvent = (
  bytes: Buffer,
  received: ReceivedEvent | undefined,
  type: unknown,
  names: ReadonlySet<string> = usualNames,
): Buffer => {
  const lines = bytes.toString('utf8').split(lineEnds)
  const kept = lines.filter((line) => isKept(line, type, names))
  if (kept.length === lines.length) return bytes
  const isEmpty = received === undefined && kept.every((line) => line.trim() === '')
  return isEmpty ? emptyComment : Buffer.from(kept.join(''))
}

const isKept = (line: string, type: unknown, names: ReadonlySet<string>): boolean => {
  // The first line of a stream may begin with a byte order mark.
  const content = (line.startsWith('\uFEFF') ? line.slice(1) : line).replace(/[\r\n]+$/, '')
  if (content === '' || content === ':') return true
  const colon = content.indexOf(':')
  const name = colon < 0 ? content : content.slice(0, colon)
  const value = colon < 0 ? '' : content.slice(content[colon + 1] === ' ' ? colon + 2 : colon + 1)
  if (name === 'data') return true
  if (name === 'retry') return /^\d{1,9}$/.test(value)
  return name === 'event' && (value === '' || value === type || names.has(value))
}

/** Event names of the formats. Most repeat the name in the data. */
const usualNames: ReadonlySet<string> = new Set([
  ...['message', 'error', 'ping', 'done', 'message_start', 'message_delta', 'message_stop'],
  ...['content_block_start', 'content_block_delta', 'content_block_stop'],
])

const emptyComment = Buffer.from(':\n\n')
const lineEnds = /(?<=\n|\r(?!\n))/
