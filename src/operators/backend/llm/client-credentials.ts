import type { Headers } from '../../../model/headers.ts'
import type { Request } from '../../../model/request.ts'

/** Where clients of language models put their keys, and browsers what they know somebody by. */
const names = [
  'authorization',
  'proxy-authorization',
  'x-api-key',
  'x-goog-api-key',
  'api-key',
  'cookie',
] as const

/** Takes the client's keys out of a request: they are for the gateway, and no provider's business. */
export const dropClientCredentials = (request: Request): void => {
  const { headers } = request
  for (const name of names) headers.delete(name)
  if (headers.has('sec-websocket-protocol')) dropFromProtocols(headers)
  if (request.query !== '') request.query = withoutKeys(request.query)
}

/** Names may be written with escapes, which providers read as what they stand for. */
const withoutKeys = (query: string): string => {
  if (!/(?:key|token|%)/i.test(query)) return query
  const pairs = query.slice(1).split('&')
  const kept = pairs.filter((pair) => !queryKeys.has(nameOf(pair)))
  if (kept.length === pairs.length) return query
  return kept.length ? `?${kept.join('&')}` : ''
}

/** Of Google's clients. */
const queryKeys: ReadonlySet<string> = new Set(['key', 'api_key', 'access_token'])

const nameOf = (pair: string): string => {
  const [name = ''] = new URLSearchParams(pair).keys()
  return name.toLowerCase()
}

/** Browsers cannot give headers to a WebSocket, which is why OpenAI takes keys there. */
const dropFromProtocols = (headers: Headers): void => {
  const protocols = (headers.get('sec-websocket-protocol') ?? '').split(',').map((one) => one.trim())
  const kept = protocols.filter((one) => !one.startsWith('openai-insecure-api-key.'))
  if (kept.length === protocols.length) return
  if (kept.length) headers.set('sec-websocket-protocol', kept.join(', '))
  else headers.delete('sec-websocket-protocol')
}
