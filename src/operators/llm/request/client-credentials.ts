import type { Headers } from '../../../model/exchange/headers.ts'
import type { Request } from '../../../model/exchange/request.ts'
import { withoutQueryKeys } from './query-keys.ts'

/**
 * Removes the client's keys from a request: they are for the gateway, not for the provider. Its organization and
 * project are removed as well: with the gateway's own key they would be charged, or refused.
 */
export const dropClientCredentials = (request: Request): void => {
  const { headers } = request
  const { raw } = headers
  // From the end, since a removal moves the fields after it.
  for (let i = raw.length - 2; i >= 0; i -= 2) if (isCredentialField(raw[i] as string)) raw.splice(i, 2)
  if (headers.has('sec-websocket-protocol')) dropFromProtocols(headers)
  if (request.query !== '') request.query = withoutQueryKeys(request.query)
}

/** The keys and tokens in the header fields of a client's request, without their schemes. */
export const clientKeys = ({ headers: { raw } }: Request): readonly string[] => {
  const keys: string[] = []
  for (let i = 0; i < raw.length; i += 2)
    if (isKeyField(raw[i] as string)) keys.push((raw[i + 1] as string).replace(/^\S+ +/, ''))
  return keys
}

/** Browsers cannot set headers of a WebSocket, so OpenAI accepts keys and accounts in this header. */
const dropFromProtocols = (headers: Headers): void => {
  const protocols = headers
    .all('sec-websocket-protocol')
    .flatMap((field) => field.split(','))
    .map((one) => one.trim())
  const kept = protocols.filter((one) => !accountProtocol.test(one))
  if (kept.length === protocols.length) return
  headers.delete('sec-websocket-protocol')
  if (kept.length) headers.set('sec-websocket-protocol', kept.join(', '))
}

const accountProtocol = /^openai-(?:insecure-api-key|organization|project)\./i

/** Whether a header field has a key, a token or a cookie, or identifies an account. */
const isCredentialField = (written: string): boolean => {
  // CGI, WSGI and PHP do not distinguish `x_api_key` from `x-api-key`.
  const name = written.includes('_') ? written.replaceAll('_', '-') : written
  return isKeyName(name) || accounts.has(name)
}

/** Whether a field has a key or a token. */
export const isKeyField = (name: string): boolean => isKeyName(name) && name !== 'cookie'

const isKeyName = (name: string): boolean => keys.has(name) || endings.some((ending) => name.endsWith(ending))

/** `api-key` and `x-goog-api-key`; `proxy-authorization`; `ocp-apim-subscription-key`: of any provider. */
const endings = ['authorization', 'api-key', 'subscription-key', 'authorization-token'] as const

const keys: ReadonlySet<string> = new Set([
  ...['cookie', 'apikey', 'x-apikey', 'x-auth-token', 'x-access-token', 'x-auth-key', 'private-token'],
  ...['x-amz-security-token', 'x-ms-authorization-auxiliary'],
])

const accounts: ReadonlySet<string> = new Set([
  ...['openai-organization', 'openai-project', 'x-goog-user-project'],
  ...['anthropic-organization', 'anthropic-organization-id', 'anthropic-workspace', 'anthropic-workspace-id'],
])
