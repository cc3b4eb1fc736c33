/** One event of a server-sent event stream. */
export interface SseEvent {
  /** Browsers read an absent type as `message`. */
  readonly event?: string
  readonly id?: string
  /** May contain line breaks of any kind. */
  readonly data?: string
  /** The reconnection time of clients, in milliseconds. */
  readonly retryMs?: number
}

/**
 * Encodes an event with its closing blank line. Line breaks in `event` and `id` (and NUL in `id`) cannot be sent, and
 * become spaces, so that no text can inject a field.
 *
 * @example
 * encodeSseEvent({ event: 'tick', data: 'a\nb' }) // 'event: tick\ndata: a\ndata: b\n\n'
 */
export const encodeSseEvent = ({ event, id, data, retryMs }: SseEvent): string => {
  let text = ''
  if (event !== undefined) text += `event: ${oneLine(event)}\n`
  if (id !== undefined) text += `id: ${oneLine(id)}\n`
  if (retryMs !== undefined) text += `retry: ${Math.max(0, Math.trunc(retryMs))}\n`
  if (data !== undefined) text += eachLine('data: ', data)
  return `${text}\n`
}

/** Encodes a comment, which clients ignore: a keep-alive for proxies in between. */
export const encodeSseComment = (text = ''): string => `${eachLine(': ', text)}\n`

const eachLine = (prefix: string, text: string): string =>
  // JSON, the usual content, has no line breaks: one scan and no array then.
  lineBreak.test(text)
    ? text
        .split(lineBreak)
        .map((line) => `${prefix}${line}\n`)
        .join('')
    : `${prefix}${text}\n`

const oneLine = (text: string): string => text.replaceAll(/[\r\n\0]+/g, ' ')

const lineBreak = /\r\n|\r|\n/
