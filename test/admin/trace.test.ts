import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { type TestContext, test } from 'node:test'
import { traceEndpoint } from '../../src/admin/handlers/trace.ts'
import { serveEndpoints } from '../../src/admin/server/endpoint-server.ts'
import { Trace } from '../../src/pipeline/trace.ts'
import { TraceSse } from '../../src/sinks/trace-sse.ts'
import { exchange } from '../../src/testing/exchange.ts'
import { call } from '../support/admin-call.ts'

const serve = async (t: TestContext) => {
  const trace = new Trace()
  const endpoint = traceEndpoint(new TraceSse(trace, { maxWatchers: 2 }), (expression) => {
    if (expression === '1 +') throw new Error('unexpected end')
    return (x) => x.request.path === expression
  })
  const server = await serveEndpoints({ address: { host: '127.0.0.1', port: 0 }, endpoints: [endpoint] })
  t.after(() => server.close(0))
  const [address = ''] = server.addresses
  const open = async (query: string, method = 'GET'): Promise<IncomingMessage> => {
    const [host, port] = address.split(':')
    const req = request({ host, port, method, path: `/debug/trace${query}`, agent: false }).end()
    const [res] = (await once(req, 'response')) as [IncomingMessage]
    res.on('error', () => undefined)
    return res.setEncoding('utf8')
  }
  return { trace, open, send: (query: string) => call(address, `/debug/trace${query}`) }
}

const read = async (res: IncomingMessage): Promise<string> => {
  let text = ''
  for await (const part of res) text += String(part)
  return text
}

const finished = (text: string): number => text.split('"requestFinished"').length - 1

test('/debug/trace', async (t) => {
  const { trace, open, send } = await serve(t)
  const run = (path: string, body?: string): void => {
    const x = exchange({ trace, path })
    if (body) x.probe?.record({ type: 'bodySnapshot', stage: 'response', body })
    trace.ended(x)
  }

  for (const method of ['GET', 'POST'])
    await t.test(`shows one request by default, with ${method}`, async () => {
      const res = await open('', method)
      run('/a')
      run('/b')
      assert.equal(finished(await read(res)), 1)
    })

  await t.test(
    'shows as many requests as requested, of those that match the expression, without bodies',
    async () => {
      const res = await open('?count=2&expression=%2Fa')
      for (const path of ['/b', '/a', '/b', '/a', '/a']) run(path, 'aGk=')
      const text = await read(res)
      assert.equal(finished(text), 2)
      assert.deepEqual([text.includes('/b'), text.includes('aGk=')], [false, false])
    },
  )

  await t.test('shows bodies on request', async () => {
    const res = await open('?bodies=true')
    run('/a', 'aGk=')
    assert.match(await read(res), /"type":"bodySnapshot","stage":"response","body":"aGk="/)
  })

  await t.test('streams until its reader disconnects', async () => {
    const res = await open('?follow=true')
    for (let i = 0; i < 5; i++) run('/a')
    let text = ''
    for await (const part of res) {
      text += String(part)
      if (finished(text) === 5) break
    }
    while (trace.watching > 0) await new Promise(setImmediate)
  })

  const wrong: Readonly<Record<string, string>> = {
    '?expression=1%20%2B': 'invalid expression: unexpected end\n',
    '?count=0': 'count must be a whole number from 1 to 100000\n',
    '?count=100001': 'count must be a whole number from 1 to 100000\n',
    '?count=1e3': 'count must be a whole number from 1 to 100000\n',
    '?count=-1': 'count must be a whole number from 1 to 100000\n',
    '?count=': 'count must be a whole number from 1 to 100000\n',
    '?follow=yes': 'follow must be true or false\n',
    '?bodies=1': 'bodies must be true or false\n',
    '?count=2&follow=true': 'count and follow exclude each other\n',
    '?expresion=x': 'unknown parameter: expresion; known are expression, count, follow, bodies\n',
    '?count=1&count=2': 'parameter given twice: count\n',
  }
  for (const [query, message] of Object.entries(wrong))
    await t.test(`replies 400 to ${query}`, async () => {
      const { status, text, headers } = await send(query)
      assert.deepEqual([status, text], [400, message])
      assert.match(String(headers['content-type']), /^text\/plain/)
    })

  await t.test('replies 503 with the limit if there are too many watchers', async () => {
    const streams = [await open('?follow=true'), await open('?follow=true')]
    const { status, text } = await send('')
    assert.deepEqual([status, text], [503, 'too many watchers: at most 2 at the same time\n'])
    for (const stream of streams) stream.destroy()
  })
})
