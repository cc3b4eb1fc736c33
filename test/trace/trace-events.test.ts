import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test, type TestContext } from 'node:test'
import { concatMap, firstValueFrom, from, lastValueFrom, map, Subject, take, toArray } from 'rxjs'
import { serveEndpoints } from '../../src/admin/server/endpoint-server.ts'
import { traceEndpoint } from '../../src/admin/handlers/trace.ts'
import type { TraceEvent } from '../../src/model/trace/trace-event.ts'
import { Trace } from '../../src/pipeline/trace.ts'
import { TraceSse } from '../../src/sinks/trace-sse.ts'
import { exchange } from '../../src/testing/exchange.ts'
import { concatMapBounded } from '../../src/trace/concat-map-bounded.ts'
import type { TraceEventsOptions } from '../../src/trace/trace-events-options.ts'
import { traceEvents } from '../../src/trace/trace-events.ts'
import { TraceStreamError } from '../../src/trace/trace-stream-error.ts'

const serveTrace = async (t: TestContext, maxWatchers = 64) => {
  const trace = new Trace()
  const streams = new TraceSse(trace, { maxWatchers })
  const endpoint = traceEndpoint(streams, (expression) => {
    if (expression === '1 +') throw new Error('unexpected end')
    return (x) => x.request.path === expression
  })
  const server = await serveEndpoints({ address: { host: '127.0.0.1', port: 0 }, endpoints: [endpoint] })
  t.after(() => server.close(0))
  const run = (path: string): void => {
    const x = exchange({ trace, path })
    x.probe?.record({ type: 'bodySnapshot', stage: 'response', body: 'aGk=' })
    trace.ended(x)
  }
  return { url: `http://${server.addresses[0] ?? ''}`, run, streams }
}

/** Collects events; `run` is called once the stream is open. */
const collect = (url: string, options: TraceEventsOptions, run: () => void) =>
  lastValueFrom(
    traceEvents(url, {
      ...options,
      onState: (state) => {
        if (state === 'open') run()
      },
    }).pipe(
      map(({ message }) => message.type),
      toArray(),
    ),
  )

const failureOf = async (url: string, options: TraceEventsOptions = {}) => {
  const error: unknown = await lastValueFrom(traceEvents(url, options)).catch((reason: unknown) => reason)
  assert.ok(error instanceof TraceStreamError, String(error))
  return [error.reason, error.status, error.message]
}

test('traceEvents', async (t) => {
  await t.test('emits the events of one request and completes', async (t) => {
    const { url, run, streams } = await serveTrace(t)
    const types = await collect(url, {}, () => run('/a'))
    assert.deepEqual([types[0], types.at(-1)], ['requestStarted', 'requestFinished'])
    assert.equal(streams.watching, 0)
  })

  await t.test('selects requests, counts them, and shows bodies', async (t) => {
    const { url, run } = await serveTrace(t)
    const types = await collect(url, { expression: '/a', count: 2, bodies: true }, () => {
      for (const path of ['/b', '/a', '/b', '/a', '/a']) run(path)
    })
    assert.equal(types.filter((type) => type === 'requestFinished').length, 2)
    assert.equal(types.filter((type) => type === 'bodySnapshot').length, 2)
  })

  await t.test('reports the reply of the gateway as an error', async (t) => {
    const { url } = await serveTrace(t, 0)
    assert.deepEqual(await failureOf(url, { expression: '1 +' }), [
      'invalid',
      400,
      'invalid expression: unexpected end',
    ])
    assert.deepEqual(await failureOf(url), ['busy', 503, 'too many watchers: at most 0 at the same time'])
    assert.deepEqual(await failureOf(`${url}/nothing`), ['unexpected', 404, 'status 404'])
  })

  await t.test('fails if nothing listens', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    server.close()
    await once(server, 'close')
    assert.equal((await failureOf(`http://127.0.0.1:${String(port)}`, { follow: true }))[0], 'unreachable')
  })

  await t.test('closes the connection when unsubscribed', async (t) => {
    const { url, run, streams } = await serveTrace(t)
    const first = await firstValueFrom(
      traceEvents(url, { follow: true, onState: () => run('/a') }).pipe(take(1)),
    )
    assert.equal(first.message.type, 'requestStarted')
    while (streams.watching > 0) await new Promise((resolve) => setImmediate(resolve))
  })

  const event = (type: string) =>
    `data: ${JSON.stringify({ eventStart: null, eventEnd: 0, severity: 'info', message: { type } })}\n\n`
  const serveText = async (
    t: TestContext,
    reply: (res: ServerResponse, call: number, token: string) => void,
  ) => {
    let calls = 0
    const server = createServer((req, res) => reply(res, ++calls, req.headers.authorization ?? ''))
    t.after(() => {
      server.closeAllConnections()
      server.close()
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    return `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`
  }
  const stream = { 'content-type': 'text/event-stream' }

  await t.test('connects again with follow, with a new token, and says so', async (t) => {
    const url = await serveText(t, (res, call, token) => {
      res.writeHead(token === `Bearer t${String(call)}` ? 200 : 401, stream)
      res.end(`retry: 1\n\n${event(`call${String(call)}`)}`)
    })
    const states: string[] = []
    let calls = 0
    const types = await lastValueFrom(
      traceEvents(url, {
        follow: true,
        token: () => `t${String(++calls)}`,
        onState: (state) => states.push(state),
      }).pipe(
        map(({ message }) => message.type as string),
        take(2),
        toArray(),
      ),
    )
    assert.deepEqual(
      [types, states],
      [
        ['call1', 'call2'],
        ['open', 'reconnecting', 'open'],
      ],
    )
  })

  await t.test('fails if the stream ends before the requests, or is none', async (t) => {
    const early = await serveText(t, (res) => res.writeHead(200, stream).end(event('requestStarted')))
    assert.equal(
      (await failureOf(early, { count: 2 }))[2],
      'the gateway ended the stream after 0 of 2 requests',
    )
    const page = await serveText(t, (res) =>
      res.writeHead(200, { 'content-type': 'text/html' }).end('<html>'),
    )
    assert.equal((await failureOf(page))[0], 'unexpected')
    const odd = await serveText(t, (res) => res.writeHead(200, stream).end('data: {"message":1}\n\n'))
    assert.match(String((await failureOf(odd))[2]), /^this is no trace event/)
    const huge = await serveText(t, (res) =>
      res.writeHead(200, stream).end(`data: ${'x'.repeat(9 * 1024 * 1024)}`),
    )
    assert.match(String((await failureOf(huge))[2]), /max/i)
    const elsewhere = await serveText(t, (res) => res.writeHead(307, { location: url404 }).end())
    assert.equal((await failureOf(elsewhere, { token: 'secret' }))[1], 307)
  })

  await t.test('completes a stream that lost events', async (t) => {
    const url = await serveText(t, (res) => {
      res.writeHead(200, stream)
      res.end(
        `data: {"eventStart":null,"eventEnd":0,"severity":"warn","message":{"type":"dropped","count":3}}\n\n`,
      )
    })
    const [last] = await lastValueFrom(traceEvents(url).pipe(toArray()))
    assert.deepEqual(last?.message, { type: 'dropped', count: 3 })
  })
})

const url404 = 'http://127.0.0.1:9/'

test('concatMapBounded', async (t) => {
  const event = (id: number): TraceEvent => ({
    eventStart: null,
    eventEnd: id,
    severity: 'info',
    message: { type: 'requestStarted' },
    requestId: String(id),
  })

  await t.test(
    'handles events in order, and reports those beyond the limit where they are missing',
    async () => {
      const source = new Subject<TraceEvent>()
      const gate = new Subject<void>()
      const seen: (number | string)[] = []
      const done = lastValueFrom(
        source.pipe(
          concatMapBounded(({ message, eventEnd }) => {
            seen.push(message.type === 'dropped' ? `${String(message.count)} lost` : eventEnd)
            return gate.pipe(take(1))
          }, 2),
        ),
      )
      for (let id = 1; id <= 6; id++) source.next(event(id))
      for (let step = 0; step < 3; step++) gate.next()
      source.next(event(7))
      source.complete()
      gate.next()
      gate.next()
      await done
      assert.deepEqual(seen, [1, 2, 3, '3 lost', 7])
    },
  )

  await t.test('handles many events that complete at once without a deep recursion', async () => {
    const events = Array.from({ length: 20_000 }, (_, id) => event(id))
    const ids = await lastValueFrom(
      from(events).pipe(
        concatMapBounded(({ eventEnd }) => [eventEnd]),
        toArray(),
      ),
    )
    assert.equal(ids.length, 20_000)
  })

  await t.test('passes errors on, and ends what is under way', async () => {
    const failing = from([event(1)]).pipe(concatMapBounded(() => Promise.reject(new Error('full'))))
    await assert.rejects(lastValueFrom(failing), /full/)
    const throwing = from([event(1), event(2)]).pipe(
      concatMapBounded((): number[] => {
        throw new Error('a bug')
      }),
    )
    await assert.rejects(lastValueFrom(throwing), /a bug/)
    const inner = new Subject<number>()
    const subscription = from([event(1), event(2)])
      .pipe(
        concatMapBounded(() => inner),
        concatMap((value) => [value]),
      )
      .subscribe()
    subscription.unsubscribe()
    assert.equal(inner.observed, false)
  })
})
