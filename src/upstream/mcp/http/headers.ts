import { Headers } from '../../model/headers.ts'

/** Fields that say something of the message itself, of the session with this one server, or of replicas: never a client's. */
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

/** The fields of a request to a server: the wire's own, name, value …, then those passed on for a client. */
export const fieldsOf = (fields: string[], passed: Headers): Headers => {
  const { raw } = passed
  for (let i = 0; i < raw.length; i += 2) {
    const name = raw[i] as string
    if (!own.has(name) && !name.startsWith('mcp-param-')) fields.push(name, raw[i + 1] as string)
  }
  return new Headers(fields)
}

/** @returns The media type in lower case, without parameters. */
export const mediaTypeOf = (headers: Headers): string | undefined =>
  headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase()

/** @returns The coding that hides the body although none was asked for. */
export const codingOf = (headers: Headers): string | undefined => {
  const coding = headers.get('content-encoding')?.trim().toLowerCase()
  return coding === '' || coding === 'identity' ? undefined : coding
}
