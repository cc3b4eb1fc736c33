import type { Exchange } from '../../model/exchange/exchange.ts'
import type { TraceSse } from '../../sinks/trace-sse.ts'
import { replyQuoting, replyText, type AdminEndpoint } from '../endpoint.ts'
import { flagValues } from '../parameters.ts'

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
  summary: 'streams what happens to the next request',
  group: 'traffic',
  parameters: [
    { name: 'expression', summary: 'only requests for which this CEL expression is true' },
    { name: 'count', summary: 'how many requests; 1 by default', values: { from: 1, to: maxCount } },
    { name: 'follow', summary: 'all requests, until the client leaves', values: flagValues },
    { name: 'bodies', summary: 'with the beginning of bodies', values: flagValues },
  ],
  handle: ({ res, query }) => {
    const options = readQuery(query, compileFilter)
    if (typeof options === 'string') replyQuoting(res, 400, `${options}\n`)
    else if (!traces.watch(res, options))
      replyText(res, 503, `too many watchers: at most ${traces.maxWatchers} at the same time\n`)
  },
})

type Filter = (x: Exchange) => boolean

interface WatchOptions {
  readonly filter: Filter | undefined
  readonly count: number
  readonly bodies: boolean
}

/** Parses the query, or returns an error. */
const readQuery = (
  query: URLSearchParams,
  compile: (expression: string) => Filter,
): WatchOptions | string => {
  const follow = query.get('follow') === 'true'
  const bodies = query.get('bodies') === 'true'
  const count = query.get('count')
  if (count !== null && follow) return 'count and follow exclude each other'
  try {
    const expression = query.get('expression') ?? ''
    const filter = expression === '' ? undefined : compile(expression)
    return { filter, count: follow ? Infinity : Number(count ?? 1), bodies }
  } catch (error) {
    return `invalid expression: ${error instanceof Error ? error.message : String(error)}`
  }
}
