import { dumpItems, type DumpMembers, dumpMembers, dumpText, dumpVariant } from '../json-access.ts'

/** A match of a route on one line: `GET /shop* x-team=blue ?q~a+`. */
export const matchText = (value: unknown): string => {
  const match = dumpMembers(value)
  const method = dumpText(dumpMembers(match.method).method ?? match.method)
  const headers = dumpItems(match.headers).map((one) => fieldText('', dumpMembers(one)))
  const query = dumpItems(match.query).map((one) => fieldText('?', dumpMembers(one)))
  return [method, pathText(match.path), ...headers, ...query].filter((part) => part !== '').join(' ')
}

const pathText = (value: unknown): string => {
  const [kind, path] = dumpVariant(value)
  // A regular expression may be in a list with its length.
  const text = Array.isArray(path) ? dumpText(path[0]) : dumpText(path)
  if (kind === 'pathPrefix') return text === '/' ? '/*' : `${text}*`
  return kind === 'regex' ? `~${text}` : text
}

const fieldText = (sign: string, { name, value }: DumpMembers): string => {
  const [kind, text] = typeof value === 'string' ? ['exact', value] : dumpVariant(value)
  return `${sign}${dumpText(name)}${kind === 'regex' ? '~' : '='}${dumpText(text)}`
}
