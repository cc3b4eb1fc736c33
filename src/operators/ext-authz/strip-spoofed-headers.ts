import type { Request } from '../../model/exchange/request.ts'
import { dropTrailers } from '../body/strip-trailers.ts'

/**
 * Removes the fields of a request that only the service may set, and trailers of these names. Servers that pass
 * fields on as variables, as CGI and WSGI do, cannot tell `x_user` from `x-user`: both are removed.
 *
 * @param names Lower-case.
 */
export const stripSpoofedFields = (request: Request, names: readonly string[]): void => {
  if (names.length === 0) return
  for (const name of names) request.headers.delete(name)
  dropForgedTrailers(request, names)
}

/** The same for trailers only, if the header fields are removed already. */
export const dropForgedTrailers = (request: Request, names: readonly string[]): void => {
  if (names.length === 0) return
  const meant = new Set(names.map(asRead))
  dropTrailers(request, (name) => meant.has(asRead(name)))
}

const asRead = (name: string): string => name.replaceAll('_', '-')
