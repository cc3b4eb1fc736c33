import { deny, faultReply, onReply, onRequest, rescue, Trace, upstreamOf } from 'agentgateway'
import { backend, csrf, retry, requestTimeout } from 'agentgateway/operators'
import { accessLog, clientSinks, logDestination } from 'agentgateway/sinks'
import { listen, signals } from 'agentgateway/streams'
import { pipe, take } from 'rxjs'

const { ORIGIN = 'http://127.0.0.1:9000', PORT = '8080' } = process.env
const upstream = upstreamOf(ORIGIN)
const trace = new Trace()
const log = logDestination()

// A custom operator: requests that change state need a name.
const named = onRequest('named', ({ request }) =>
  request.method === 'GET' || request.headers.has('x-name')
    ? undefined
    : deny(401, 'no_name', { message: 'who are you?', headers: { 'www-authenticate': 'Name' } }),
)

// Runs from top to bottom.
const calls = retry({ attempts: 2, codes: [503] }, backend(upstream))
const pipeline = pipe(
  rescue(pipe(csrf({ additionalOrigins: [] }), named, requestTimeout(10_000, calls)), faultReply()),
  // After the rescue, so that errors are stamped too.
  onReply('stamp', (x) => x.reply?.headers.set('x-served-by', 'custom-pipeline')),
)

trace.events$.subscribe(({ requestId, message }) => {
  if (message.type === 'policy') console.log(`${requestId} ${message.kind} took ${message.tookUs ?? 0} µs`)
})

const ended = accessLog({ format: 'text', destination: log })
const server = await listen(pipeline, { port: Number(PORT), responders: clientSinks, trace, ended })
console.log(`serving ${ORIGIN} on ${server.url}`)

signals()
  .pipe(take(1))
  .subscribe(() => void server.close().then(() => upstream.close()))
