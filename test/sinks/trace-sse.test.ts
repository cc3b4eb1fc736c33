import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { Headers } from '../../src/model/exchange/headers.ts'
import { deny } from '../../src/model/exchange/reply.ts'
import type { TraceEvent } from '../../src/model/trace/trace-event.ts'
import { Trace } from '../../src/pipeline/trace.ts'
import { backlogBytes, TraceSse, type TraceSseSettings } from '../../src/sinks/trace-sse.ts'
import { exchange } from '../../src/testing/exchange.ts'

/** A server whose every response is a trace stream of `count` requests. */
const serve = async (t: TestContext, settings: TraceSseSettings = {}, count = 1) => {
  const trace = new Trace()
  const traces = new TraceSse(trace, settings)
  const server = createServer((_, res) => {
    if (!traces.watch(res, { count })) res.writeHead(503).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const open = async (): Promise<IncomingMessage> => {
    const req = request({ port, host: '127.0.0.1', agent: false }).end()
    const [res] = (await once(req, 'response')) as [IncomingMessage]
    res.on('error', () => undefined)
    return res.setEncoding('utf8')
  }
  return { trace, traces, open }
}

const readAll = async (res: IncomingMessage): Promise<string> => {
  let text = ''
  for await (const part of res) text += String(part)
  return text
}

const eventsOf = (text: string): TraceEvent[] =>
  text
    .split('\n\n')
    .filter((part) => part.startsWith('data: '))
    .map((part) => JSON.parse(part.slice('data: '.length)) as TraceEvent)

const runOne = (trace: Trace): void => {
  const x = exchange({ trace })
  x.reply = deny(404, 'route_not_found')
  trace.ended(x)
}

test('an SSE stream of trace events', async (t) => {
  await t.test('begins with ready, has each event, and ends after its requests', async (t) => {
    const { trace, open, traces } = await serve(t)
    const res = await open()
    assert.equal(res.headers['content-type'], 'text/event-stream')
    assert.equal(res.headers['cache-control'], 'no-cache')
    runOne(trace)
    const text = await readAll(res)
    assert.ok(text.startsWith(': ready\n\ndata: {'))
    assert.deepEqual(
      eventsOf(text).map(({ message }) => message.type),
      ['requestStarted', 'requestSnapshot', 'requestFinished'],
    )
    assert.equal(traces.watching, 0)
    assert.equal(trace.watching, 0)
  })

  await t.test('has keep-alive comments while idle', async (t) => {
    const { open } = await serve(t, { keepaliveMs: 5 })
    const res = await open()
    let text = ''
    for await (const part of res) {
      text += String(part)
      if (text.split(': keepalive\n\n').length > 2) break
    }
    assert.match(text, /^: ready\n\n(: keepalive\n\n){2,}$/)
  })

  await t.test('stops watching when its reader disconnects', async (t) => {
    const { open, trace, traces } = await serve(t, {}, Infinity)
    const res = await open()
    assert.deepEqual([traces.watching, trace.watching], [1, 1])
    res.destroy()
    while (traces.watching > 0) await new Promise(setImmediate)
    assert.equal(trace.watching, 0)
  })

  await t.test('is refused beyond the limit', async (t) => {
    const { open } = await serve(t, { maxWatchers: 2 })
    await open()
    await open()
    assert.equal((await open()).statusCode, 503)
  })

  await t.test('drops events for a stalled reader, reports how many, and continues', async (t) => {
    let dropped = 0
    const { open, trace } = await serve(
      t,
      { keepaliveMs: 5, onDropped: (count) => (dropped += count) },
      Infinity,
    )
    const slow = await open()
    slow.pause()
    const padding = new Headers(['x-padding', 'x'.repeat(32_000)])
    const limitBytes = 64 * backlogBytes
    let sent = 0
    while (dropped < 30 && sent < limitBytes) {
      const x = exchange({ trace })
      x.request.headers = padding
      x.probe?.snapshot('route policies')
      trace.ended(x)
      trace.flush()
      sent += 32_000
      await new Promise(setImmediate)
    }
    assert.ok(dropped >= 30, 'events were dropped')

    let text = ''
    let reported = 0
    // Several events, if the connection takes more between them.
    for await (const part of slow) {
      text += String(part)
      if (!text.endsWith('\n\n')) continue
      const events = eventsOf(text).filter(({ message }) => message.type === 'dropped')
      const counts = events.map(({ message }) => (message.type === 'dropped' ? message.count : 0))
      for (const [at, count] of counts.entries())
        assert.deepEqual(events[at], {
          eventStart: null,
          eventEnd: 0,
          severity: 'warn',
          message: { type: 'dropped', count },
        })
      reported = counts.reduce((sum, count) => sum + count, 0)
      if (reported >= dropped) break
    }
    assert.equal(reported, dropped)
  })

  await t.test('with a stalled reader does not block others', async (t) => {
    const { open, trace } = await serve(t, {}, 2)
    const slow = await open()
    slow.pause()
    const quick = await open()
    runOne(trace)
    runOne(trace)
    assert.equal(eventsOf(await readAll(quick)).length, 6)
  })
})
