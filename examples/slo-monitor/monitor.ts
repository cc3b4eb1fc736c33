/** Watches a service level objective: at most 1 % of the requests of a route may fail or take longer than 300 ms. */
import { bufferTime, filter, map } from 'rxjs'
import { concatMapBounded, traceEvents, TraceStreamError } from 'agentgateway/trace'

const {
  ADMIN_URL = 'http://127.0.0.1:15000',
  WINDOW_MS = '10000',
  SLOW_MS = '300',
  ADMIN_TOKEN,
} = process.env

/** Whether a request counts against the objective. */
const isBad = (status: number | null, tookUs: number): boolean =>
  (status ?? 500) >= 500 || tookUs > 1_000 * Number(SLOW_MS)

const windows$ = traceEvents(ADMIN_URL, {
  follow: true,
  expression: 'request.path.startsWith("/shop")',
  ...(ADMIN_TOKEN !== undefined && { token: ADMIN_TOKEN }),
  onState: (state) => console.error(`trace ${state}`),
}).pipe(
  // Your own storage may be slower than the traffic: at most 1,000 events wait, the rest is counted.
  concatMapBounded(({ message, eventEnd }) => {
    if (message.type === 'dropped') console.error(`${message.count} events lost`)
    return message.type === 'requestFinished' ? [isBad(message.status, eventEnd)] : []
  }),
  bufferTime(Number(WINDOW_MS)),
  filter((requests) => requests.length > 0),
  map((requests) => ({ requests: requests.length, bad: requests.filter(Boolean).length })),
)

const subscription = windows$.subscribe({
  next: ({ requests, bad }) => {
    const verdict = bad / requests > 0.01 ? 'violated' : 'kept'
    console.log(`${verdict}: ${bad} of ${requests} requests were slow or failed`)
  },
  error: (error: unknown) => {
    console.error(error instanceof TraceStreamError ? `${error.reason}: ${error.message}` : error)
    process.exitCode = 1
  },
})
process.once('SIGTERM', () => subscription.unsubscribe())
