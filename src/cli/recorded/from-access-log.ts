import { fieldsOf, type RecordedRequest, withoutRedacted } from './recorded-request.ts'

/** A line of the JSON access log. */
export type AccessLogLine = Readonly<Record<string, unknown>>

/**
 * The request of a line of the JSON access log. Without additional fields a line has neither headers nor a body: the
 * policy `accessLog` adds them as `request.headers`, `request.body`, `response.headers` and `response.body`.
 */
export const fromAccessLog = (line: AccessLogLine): RecordedRequest | undefined => {
  const text = (name: string): string | undefined => {
    const value = line[name]
    return typeof value === 'string' ? value : undefined
  }
  const method = text('http.method')
  const path = text('http.path')
  if (method === undefined || path === undefined) return undefined
  const host = text('http.host') ?? 'localhost'
  const scheme = text('tls.sni') === undefined ? 'http' : 'https'
  const { headers, redacted } = withoutRedacted(fieldsOf(line['request.headers']))
  const status = line['http.status']
  const body = text('request.body')
  return {
    method,
    url: `${scheme}://${host}${path}`,
    headers: headers.filter(([name]) => name !== 'content-length'),
    body: body === undefined ? undefined : Buffer.from(body),
    redacted: [...redacted, ...(path.includes('<redacted>') ? ['query'] : [])],
    isCut: body === undefined && headers.some(([name, value]) => name === 'content-length' && value !== '0'),
    gateway: text('gateway')?.split('/').at(-1),
    clientAddress: addressOf(text('src.addr')),
    outcome: { status: typeof status === 'number' ? status : undefined, route: text('route') },
    response: responseOf(line, status),
  }
}

/** Only a backend's response is worth repeating: replies of the gateway are made again. */
const responseOf = (line: AccessLogLine, status: unknown): RecordedRequest['response'] => {
  const body = line['response.body']
  if (typeof status !== 'number' || line.reason !== 'Upstream') return undefined
  return {
    status,
    headers: withoutRedacted(fieldsOf(line['response.headers'])).headers,
    body: typeof body === 'string' ? Buffer.from(body) : undefined,
  }
}

const addressOf = (text: string | undefined): string | undefined =>
  text?.replace(/:\d+$/, '').replace(/^\[|\]$/g, '')
