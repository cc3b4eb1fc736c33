import { Headers } from '../../../model/exchange/headers.ts'

/** Headers of the message itself, of the session with this server, or of replicas: never forwarded from a client. */
const own = new Set([
  'accept',
  'accept-encoding',
  'agentgateway-passed-on',
  'content-encoding',
  'content-length',
  'content-type',
  'expect',
  'host',
  'last-event-id',
  'mcp-method',
  'mcp-name',
  'mcp-protocol-version',
  'mcp-session-id',
  'range',
  'te',
  'transfer-encoding',
])

/** The headers of a request to a server: those of the transport, name, value …, then those of the client. */
export const headerFieldsOf = (fields: string[], passed: Headers): Headers => {
  const { raw } = passed
  for (let i = 0; i < raw.length; i += 2) {
    const name = raw[i] as string
    if (!isOwn(name.includes('_') ? name.replaceAll('_', '-') : name)) fields.push(name, raw[i + 1] as string)
  }
  return new Headers(fields)
}

const isOwn = (name: string): boolean => own.has(name) || name.startsWith('mcp-param-')

/** @returns The media type in lower case, without parameters. */
export const contentTypeOf = (headers: Headers): string | undefined =>
  headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase()

/** @returns The content coding of the body, although none was requested. */
export const codingOf = (headers: Headers): string | undefined => {
  const coding = headers.get('content-encoding')?.trim().toLowerCase()
  return coding === '' || coding === 'identity' ? undefined : coding
}
