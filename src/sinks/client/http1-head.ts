import { STATUS_CODES } from 'node:http'
import type { Reply } from '../../model/exchange/reply.ts'
import { isFieldValue, isToken } from '../../protocols/http/field-syntax.ts'

/** The bytes of a 1xx response; undefined if it cannot be written, because hints are not worth an error. */
export const informationalHead = (status: number, headers: readonly string[]): string | undefined => {
  if (!(status >= 102 && status <= 199)) return undefined
  const lines = fieldLines(headers)
  return lines === undefined
    ? undefined
    : `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Informational'}\r\n${lines}\r\n`
}

/** The head of the response to an accepted upgrade or CONNECT, the last HTTP of the connection. */
export const switchingHead = (reply: Reply): string => {
  const { headers, status } = reply
  if (status === 101 && !headers.has('connection')) headers.append('connection', 'upgrade')
  const reason = status === 200 ? 'Connection Established' : (STATUS_CODES[status] ?? '')
  return `HTTP/1.1 ${status} ${reason}\r\n${fieldLines(headers.spelled()) ?? ''}\r\n`
}

const fieldLines = (raw: readonly string[]): string | undefined => {
  let lines = ''
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = raw[i] as string
    const value = raw[i + 1] as string
    if (!isToken(name) || !isFieldValue(value)) return undefined
    lines += `${name}: ${value}\r\n`
  }
  return lines
}
