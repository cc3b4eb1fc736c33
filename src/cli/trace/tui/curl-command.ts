import type { TraceRecord } from '../trace-record.ts'
import { bodyText } from './body-lines.ts'

/** A request as a command, and notes to read before running it. */
export interface CurlCommand {
  readonly command: string
  readonly notes: readonly string[]
}

/**
 * The request of the client as a curl command for a shell. Everything from the network is quoted, and left out where
 * quotes are not enough: a name that is no token, or a URL that curl would read as an option.
 *
 * @example
 * curlCommand(record).command.split('\n') // ["curl --globoff --path-as-is -X PUT \\", "  'http://shop.example/cart'"]
 */
export const curlCommand = (record: TraceRecord): CurlCommand => {
  const { request } = record.snapshots.find(({ state }) => state.request !== undefined)?.state ?? {}
  if (!request) return { command: '', notes: ['The trace does not have this request.'] }
  const notes: string[] = []
  const body = requestBody(record, request.method, notes)
  const headers = Object.entries(request.headers).flatMap(([name, value]) =>
    isToken(name) && !omitted.has(name.toLowerCase())
      ? [value].flat().map((one) => ['-H', shellQuoted(one === '' ? `${name};` : `${name}: ${one}`)])
      : [],
  )
  const uri = isHttp.test(request.uri) ? request.uri : `http://${request.host}${request.pathAndQuery}`
  const method = methodOption(request.method, body !== undefined)
  const parts = [
    `curl --globoff --path-as-is${method}`,
    ...headers.map((one) => one.join(' ')),
    ...(body === undefined ? [] : [`--data-raw ${shellQuoted(body)}`]),
    shellQuoted(uri),
  ]
  const command = parts.join(' \\\n  ')
  if (command.includes('<redacted>'))
    notes.unshift('Traces have no credentials: replace <redacted> with yours.')
  return { command, notes }
}

const methodOption = (method: string, hasBody: boolean): string => {
  if (method === 'HEAD') return ' -I'
  const isDefault = method === (hasBody ? 'POST' : 'GET')
  return isDefault || !/^[\w-]+$/.test(method) ? '' : ` -X ${method}`
}

const requestBody = ({ bodies }: TraceRecord, method: string, notes: string[]): string | undefined => {
  const body =
    bodies.find(({ stage }) => stage === 'llm request before translation') ??
    bodies.find(({ stage }) => stage.includes('request'))
  if (!body) {
    if (!bodyless.has(method)) notes.push('The body is not traced; --bodies adds it.')
    return undefined
  }
  if (body.bytes.length === 0) return undefined
  const text = bodyText(body.bytes, body.lengthBytes)
  if (text === undefined) notes.push('The body is not text, and is left out.')
  else if (body.lengthBytes > body.bytes.length) notes.push('Only the beginning of the body is traced.')
  return text
}

const bodyless: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'DELETE', 'TRACE', 'CONNECT'])

/** Curl makes these itself. */
const omitted: ReadonlySet<string> = new Set(['host', 'content-length', 'transfer-encoding', 'connection'])

const isHttp = /^https?:\/\//i
const isToken = (text: string): boolean => /^[\w!#$%&'*+.^`|~-]+$/.test(text)

/** A word of a shell that is taken as it is; control characters become escapes, so that a terminal shows them. */
export const shellQuoted = (text: string): string => {
  if (!/\p{Cc}/u.test(text)) return `'${text.replaceAll("'", String.raw`'\''`)}'`
  const escaped = text.replaceAll(/[\p{Cc}\\']/gu, (one) => {
    if (one === '\n') return String.raw`\n`
    if (one === '\\' || one === "'") return `\\${one}`
    return `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
  return `$'${escaped}'`
}
