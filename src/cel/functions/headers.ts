import { HeadersView, reveal } from '../context/headers-view.ts'
import { noSuchKey } from '../engine/eval-error.ts'
import type { FunctionGroup } from './function.ts'

/** The query of a URL or path, and the text before and after it. */
const partsOf = (target: string): { head: string; query: URLSearchParams; tail: string } => {
  const [rest = '', ...fragment] = target.split(/(?=#)/)
  const mark = rest.indexOf('?')
  return {
    head: mark < 0 ? rest : rest.slice(0, mark),
    query: new URLSearchParams(mark < 0 ? '' : rest.slice(mark + 1)),
    tail: fragment.join(''),
  }
}

const queryValues = (target: string, name: string): string[] => {
  const values = partsOf(target).query.getAll(name)
  if (!values.length) throw noSuchKey(name)
  return values
}

const changeQuery =
  (change: 'append' | 'set') =>
  (target: string, name: string, value: string): string => {
    const { head, query, tail } = partsOf(target)
    query[change](name, value)
    return `${head}?${query.toString()}${tail}`
  }

/** Functions on header fields and on the query of a URL. */
export const headers: FunctionGroup = {
  title: 'Headers and query',
  functions: [
    {
      usage: 'headers.join()',
      description: 'The same fields, each as one string, its values joined with `,`.',
      overloads: { 'Headers.joined(): Headers': (view: HeadersView) => view.as('join') },
    },
    {
      usage: 'headers.raw()',
      description: 'The same fields, each as a list, even of one value.',
      overloads: { 'Headers.raw(): Headers': (view: HeadersView) => view.as('raw') },
    },
    {
      usage: 'headers.split()',
      description: 'The same fields, each as a list of what stands between commas.',
      overloads: { 'Headers.split(): Headers': (view: HeadersView) => view.as('split') },
    },
    {
      usage: 'headers.redacted()',
      description: 'The same fields; sensitive ones are `<redacted>`.',
      overloads: { 'Headers.redacted(): Headers': (view: HeadersView) => view.redacting(true) },
    },
    {
      usage: 'headers.cookie(name)',
      description: 'The value of a cookie.',
      overloads: { 'Headers.cookie(string): string': (view: HeadersView, name: string) => view.cookie(name) },
    },
    {
      usage: 'size(headers), headers.size()',
      description: 'How many different fields there are.',
      overloads: {
        'size(Headers): int': (view: HeadersView) => BigInt(view.names().length),
        'Headers.size(): int': (view: HeadersView) => BigInt(view.names().length),
      },
    },
    {
      usage: 'x.unredacted()',
      description: 'The value behind what is redacted; anything else is itself.',
      overloads: { 'dyn.unredacted(): dyn': reveal },
    },
    {
      usage: 'string.query(name)',
      description: 'Every value of a query parameter of a URL or path.',
      overloads: { 'string.query(string): list<string>': queryValues },
    },
    {
      usage: 'string.addQuery(name, value)',
      description: 'The URL or path with one more query parameter.',
      overloads: { 'string.addQuery(string, string): string': changeQuery('append') },
    },
    {
      usage: 'string.setQuery(name, value)',
      description: 'The URL or path with this one value of a query parameter.',
      overloads: { 'string.setQuery(string, string): string': changeQuery('set') },
    },
  ],
}
