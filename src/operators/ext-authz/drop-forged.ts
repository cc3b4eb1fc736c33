import type { Request } from '../../model/request.ts'
import { dropTrailers } from '../body/without-trailers.ts'

/**
 * Takes fields out of a request that only a service may set, and trailers of these names. Servers that hand fields on as variables, as CGI and WSGI
 * do, read `x_user` as `x-user`: that goes as well.
 *
 * @param names Lower-case.
 */
export const dropForged = (request: Request, names: readonly string[]): void => {
  if (names.length === 0) return
  const { headers } = request
  for (const name of names) headers.delete(name)
  dropForgedTrailers(request, names)
  if (!headers.raw.some(isConfusable)) return
  const meant = new Set(names.map(asRead))
  for (const [name] of [...headers.entries()])
    if (name.includes('_') && meant.has(asRead(name))) headers.delete(name)
}

/** The same for trailers only, where the fields of the head are seen to already. */
export const dropForgedTrailers = (request: Request, names: readonly string[]): void => {
  if (names.length === 0) return
  const meant = new Set(names.map(asRead))
  dropTrailers(request, (name) => meant.has(asRead(name)))
}

const isConfusable = (text: string, index: number): boolean => index % 2 === 0 && text.includes('_')

const asRead = (name: string): string => name.replaceAll('_', '-')
