import type { Exchange } from '../../model/exchange/exchange.ts'
import type { TraceSse } from '../../sinks/trace-sse.ts'
import { replyText, type AdminEndpoint } from '../endpoint.ts'

/** Maximum number of requests of one stream without `follow`. */
const maxCount = 100_000

/**
 * `/debug/trace`: the trace of the next request, of the next `count`, or of all with `follow`.
 *
 * @param compileFilter Compiles a CEL expression to a filter; throws if it is invalid.
 */
export const traceEndpoint = (
  traces: TraceSse,
  compileFilter: (expression: string) => Filter,
): AdminEndpoint => ({
  path: '/debug/trace',
  methods: ['GET', 'POST'],
  summary: 'streams what happens to the next request; expression=<CEL>, count=<n>, follow=true, bodies=true',
  handle: ({ res, query }) => {
    const options = readQuery(query, compileFilter)
    if (typeof options === 'string') replyText(res, 400, `${options}\n`)
    else if (!traces.watch(res, options))
      replyText(res, 503, `too many watchers: at most ${traces.maxWatchers} at the same time\n`)
  },
})

type Filter = (x: Exchange) => boolean

interface Wanted {
  readonly filter: Filter | undefined
  readonly count: number
  readonly bodies: boolean
}

/** Parses the query, or returns an error. A misspelt parameter must not trace more than intended. */
const readQuery = (query: URLSearchParams, compile: (expression: string) => Filter): Wanted | string => {
  for (const name of query.keys()) {
    if (!parameters.includes(name)) return `unknown parameter: ${name}; known are ${parameters.join(', ')}`
    if (query.getAll(name).length > 1) return `parameter given twice: ${name}`
  }
  const follow = flag(query, 'follow')
  const bodies = flag(query, 'bodies')
  if (follow === undefined) return 'follow must be true or false'
  if (bodies === undefined) return 'bodies must be true or false'
  const count = query.get('count')
  if (count !== null && follow) return 'count and follow exclude each other'
  const number = count === null ? 1 : Number(/^\d+$/.test(count) ? count : NaN)
  if (!(number >= 1 && number <= maxCount)) return `count must be a whole number from 1 to ${maxCount}`
  try {
    const expression = query.get('expression') ?? ''
    const filter = expression === '' ? undefined : compile(expression)
    return { filter, count: follow ? Infinity : number, bodies }
  } catch (error) {
    return `invalid expression: ${error instanceof Error ? error.message : String(error)}`
  }
}

const parameters = ['expression', 'count', 'follow', 'bodies']

const flag = (query: URLSearchParams, name: string): boolean | undefined => {
  const value = query.get(name)
  if (value === null || value === 'false') return false
  return value === 'true' ? true : undefined
}
