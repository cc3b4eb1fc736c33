/**
 * A path in the spelling that requests have when they are matched (RFC 3986, 6.2.2): escapes of unreserved characters
 * decoded, other escapes in upper case, characters that may not stand in a path escaped. Dot segments are left alone.
 *
 * @param mergeSlashes Whether runs of slashes become one, as they do in requests where so configured.
 * @example
 * normalPath('/caf%c3%a9/~%61') // '/caf%C3%A9/~a', as is normalPath('/café/~a')
 */
export const normalPath = (text: string, mergeSlashes = false): string => {
  const uniform = text.replace(/%[0-9A-Fa-f]{2}|[^A-Za-z0-9\-._~!$&'()*+,;=:@/%]+/g, (part) => {
    if (!part.startsWith('%')) return encodeURIComponent(part.toWellFormed())
    const character = String.fromCharCode(Number.parseInt(part.slice(1), 16))
    return UNRESERVED.test(character) ? character : part.toUpperCase()
  })
  return mergeSlashes ? uniform.replace(/\/{2,}/g, '/') : uniform
}

const UNRESERVED = /^[A-Za-z0-9._~-]$/
