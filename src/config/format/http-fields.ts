import { requestLabels } from '../../model/resources/metric-labels.ts'
import { isFieldValue } from '../../protocols/http/field-syntax.ts'
import type { FormatCheck } from './format-check.ts'
import { normalPath } from './path.ts'

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/

/** A header field name (RFC 9110, 5.1). */
export const headerName: FormatCheck = (text) =>
  TOKEN.test(text)
    ? undefined
    : {
        expectation: 'must be a header name',
        ...(text.startsWith(':') ? { hint: 'pseudo-headers are not allowed here' } : {}),
      }

/** A header that policies may set. The headers that frame a message belong to the gateway. */
export const settableHeader: FormatCheck = (text) =>
  FRAMING.has(text.toLowerCase())
    ? { expectation: 'cannot be set: it says where the body ends, which the gateway knows' }
    : headerName(text)

/** As settableHeader, or one of the pseudo-headers. */
export const settableOrPseudo: FormatCheck = (text) =>
  FRAMING.has(text.toLowerCase()) ? settableHeader(text) : headerOrPseudo(text)

/** A header field name or one of the pseudo-headers of requests. */
export const requestField: FormatCheck = (text) =>
  TOKEN.test(text) || REQUEST_PSEUDO.includes(text)
    ? undefined
    : { expectation: `must be a header name or one of ${REQUEST_PSEUDO.join(', ')}` }

/** As requestField, without the headers that frame a message. */
export const settableRequestField: FormatCheck = (text) =>
  FRAMING.has(text.toLowerCase()) ? settableHeader(text) : requestField(text)

/** A header field name or one of the HTTP/2 pseudo-headers. */
export const headerOrPseudo: FormatCheck = (text) => {
  if (TOKEN.test(text) || PSEUDO.includes(text)) return undefined
  return { expectation: `must be a header name or one of ${PSEUDO.join(', ')}` }
}

/** A header field value: no line breaks, no control characters, no blanks at the ends. */
export const headerValue: FormatCheck = (text) =>
  /^(?:[^\x00-\x08\x0a-\x1f\x7f\s](?:[^\x00-\x08\x0a-\x1f\x7f]*[^\x00-\x08\x0a-\x1f\x7f\s])?)?$/.test(text)
    ? undefined
    : { expectation: 'must be a header value: one line, no control characters, no blanks at the ends' }

/** Whether a credential can be sent in a header: its characters are the bytes, and none is encoded. */
export const isSendable = (text: string): boolean => headerValue(text) === undefined && isFieldValue(text)

/** A request method. Methods are case-sensitive. */
export const method: FormatCheck = (text) => {
  if (!TOKEN.test(text)) return { expectation: 'must be a method such as GET' }
  const upper = text.toUpperCase()
  if (text !== upper && METHODS.has(upper)) {
    return {
      expectation: 'can never match, methods are compared with case',
      hint: `did you mean "${upper}"?`,
    }
  }
  return undefined
}

/** The name of a protocol in `Upgrade`. */
export const upgradeToken: FormatCheck = (text) => {
  if (text.toLowerCase() === 'h2c') return { expectation: 'would let requests pass beside the policies' }
  return TOKEN.test(text) ? undefined : { expectation: 'must be the name of a protocol, such as websocket' }
}

/** A path as it appears in a request: absolute, without query or fragment. */
export const absolutePath: FormatCheck = (text) => {
  if (!text.startsWith('/')) return { expectation: 'must start with "/"', hint: `did you mean "/${text}"?` }
  if (/[?#]/.test(text)) return { expectation: 'must not contain "?" or "#": the query is matched apart' }
  return PATH.test(text) ? undefined : { expectation: 'must not contain blanks or control characters' }
}

/** A path to match: one that a request can have after normalisation. */
export const matchPath: FormatCheck = (text) => {
  const wrong = absolutePath(text)
  if (wrong !== undefined) return wrong
  if (/%(?![0-9A-Fa-f]{2})/.test(text)) {
    return { expectation: 'can never match: a percent sign must be followed by two hexadecimal digits' }
  }
  if (/%(?:[01][0-9A-Fa-f]|7F)/i.test(text)) {
    return { expectation: 'can never match: requests with control characters are refused' }
  }
  if (
    normalPath(text)
      .split('/')
      .some((segment) => DOTS.test(segment))
  ) {
    return { expectation: 'can never match: dot segments are resolved before paths are matched' }
  }
  return undefined
}

/** The replacement of a path or prefix in a rewrite. */
export const replacementPath: FormatCheck = (text) =>
  text === '' || absolutePath(text) === undefined ? undefined : absolutePath(text)

/** The name of a metric label; labels of the built-in metrics are reserved. */
export const metricLabel: FormatCheck = (text) => {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(text) || text.startsWith('__'))
    return { expectation: 'must be a metric label: letters, digits and _, not beginning with a digit or __' }
  return requestLabels.has(text)
    ? { expectation: `must be a new metric label: requests have the label ${text} already` }
    : undefined
}

const REQUEST_PSEUDO: readonly string[] = [':method', ':authority', ':scheme', ':path']
const PSEUDO: readonly string[] = [...REQUEST_PSEUDO, ':status']
/** `.` and `..`, plain or with a parameter: with a parameter, requests are refused. */
const DOTS = /^\.\.?(?:$|;|%3B)/
const FRAMING = new Set(['content-length', 'transfer-encoding'])
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'CONNECT'])
const PATH = /^[^\x00-\x20\x7f]*$/
