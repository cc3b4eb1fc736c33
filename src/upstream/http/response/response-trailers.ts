import { isFieldValue } from '../../../protocols/http/field-syntax.ts'
import { fieldName } from '../../../protocols/http/field-name.ts'
import { isForbiddenTrailer } from '../../../protocols/http/trailers.ts'

/**
 * The trailers of a response as they may be passed on: names in lower case, without fields that would frame, route or
 * authenticate the message a second time. Undefined if none is left.
 *
 * @param raw Names and values alternating, as they were received.
 */
export const responseTrailers = (raw: readonly string[]): string[] | undefined => {
  const trailers: string[] = []
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const field = fieldName(raw[i] as string)
    const value = raw[i + 1] as string
    if (field && isFieldValue(value) && !isForbiddenTrailer(field.name)) trailers.push(field.name, value)
  }
  return trailers.length ? trailers : undefined
}
