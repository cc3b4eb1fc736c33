import type { Headers } from '../../model/headers.ts'

/**
 * Takes fields out of a request that only a service may set. Servers that hand fields on as variables, as CGI and WSGI
 * do, read `x_user` as `x-user`: that goes as well.
 *
 * @param names Lower-case.
 */
export const dropForged = (headers: Headers, names: readonly string[]): void => {
  for (const name of names) headers.delete(name)
  if (names.length === 0 || !headers.raw.some(isConfusable)) return
  const meant = new Set(names.map(asRead))
  for (const [name] of [...headers.entries()])
    if (name.includes('_') && meant.has(asRead(name))) headers.delete(name)
}

const isConfusable = (text: string, index: number): boolean => index % 2 === 0 && text.includes('_')

const asRead = (name: string): string => name.replaceAll('_', '-')
