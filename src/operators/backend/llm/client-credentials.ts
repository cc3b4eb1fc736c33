import type { Request } from '../../../model/request.ts'

/** Where clients of language models put their keys. */
const names = ['authorization', 'x-api-key', 'x-goog-api-key', 'api-key'] as const

/** Takes the client's keys out of a request: they are for the gateway, and no provider's business. */
export const dropClientCredentials = (request: Request): void => {
  for (const name of names) request.headers.delete(name)
  if (request.query.includes('key=')) request.query = withoutKey(request.query)
}

const withoutKey = (query: string): string => {
  const kept = query
    .slice(1)
    .split('&')
    .filter((pair) => !/^(?:key|%6b%65%79)=/i.test(pair))
  return kept.length ? `?${kept.join('&')}` : ''
}
