import { fieldName } from './field-name.ts'
import { isFieldValue, parseTokenList } from './field-syntax.ts'
import { type HeadRefusal, headRefusals } from './head-error.ts'

/**
 * Whether a field may not be a trailer (RFC 9110 section 6.5.1): it frames, routes, authenticates or
 * describes the message, and a recipient that merges it into the headers would change a message that is
 * already being processed.
 */
export const isForbiddenTrailer = (name: string): boolean => {
  const lower = name.toLowerCase()
  return (
    forbidden.has(lower) ||
    lower.startsWith('x-forwarded-') ||
    lower.startsWith(':') ||
    lower.startsWith('sec-')
  )
}

/**
 * Checks the trailers of a request, as a flat array of names and values in wire order, and lower-cases their
 * names. One forbidden field refuses them all: the upstream request must then be aborted so that it is not
 * taken for complete.
 */
export const readTrailers = (rawTrailers: readonly string[]): string[] | HeadRefusal => {
  const trailers: string[] = []
  for (let i = 0; i + 1 < rawTrailers.length; i += 2) {
    const field = fieldName(rawTrailers[i] ?? '')
    const value = rawTrailers[i + 1] ?? ''
    if (!field) return headRefusals.malformed_field_name
    if (!isFieldValue(value)) return headRefusals.malformed_field_value
    if (isForbiddenTrailer(field.name)) return headRefusals.forbidden_trailer
    trailers.push(field.name, value)
  }
  return trailers
}

/** The names that a Trailer field announces, in lower case, or the refusal. */
export const readTrailerNames = (value: string): readonly string[] | HeadRefusal => {
  const names = parseTokenList(value)
  if (!names) return headRefusals.malformed_trailer
  return names.some(isForbiddenTrailer) ? headRefusals.forbidden_trailer : names
}

const forbidden = new Set(
  `age authorization cache-control connection content-encoding content-length content-range content-type cookie date
  expect expires forwarded host http2-settings if-match if-modified-since if-none-match if-range if-unmodified-since
  keep-alive location max-forwards pragma proxy-authenticate proxy-authorization proxy-connection range retry-after
  set-cookie te trailer transfer-encoding upgrade vary warning www-authenticate content_length
  transfer_encoding`.split(/\s+/),
)
