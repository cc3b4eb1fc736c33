import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { replyText, type AdminEndpoint } from '../../src/admin/endpoint.ts'
import { configDumpEndpoint } from '../../src/admin/handlers/config-dump.ts'
import { serveEndpoints } from '../../src/admin/server/endpoint-server.ts'
import { metricsReport } from '../../src/admin/reports/metrics-report.ts'
import { statsEndpoints } from '../../src/admin/stats.ts'
import type { FamilyPart } from '../../src/sinks/metrics/report/metrics-report.ts'
import { call } from '../support/admin-call.ts'
import { RawClient } from '../support/raw-client.ts'

const serve = async (t: TestContext, endpoints: readonly AdminEndpoint[]) => {
  const server = await serveEndpoints({ address: { host: '127.0.0.1', port: 0 }, endpoints })
  t.after(() => server.close(0))
  const [address = ''] = server.addresses
  return { address, port: Number(address.split(':')[1]) }
}
const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`

/** A family without series, whose metadata are the text. */
const family = (name: string, help: string): FamilyPart => ({
  ...{ name, help, type: 'gauge', merge: 'sum', series: [] },
})

/** More than the buffers of two sockets hold. */
const LARGE = Array.from({ length: 30 }, () => 'x'.repeat(1_000_000))

test('for a client that pipelines 20 requests and does not read, one body is created', async (t) => {
  const made = { dumps: 0, metrics: 0 }
  const dump = configDumpEndpoint(() => {
    made.dumps++
    return { parts: LARGE.map((part) => ({ part, deep: [{}] })) }
  })
  const stats = statsEndpoints(
    metricsReport({
      parts: () => {
        made.metrics++
        return Promise.resolve(LARGE.map((help, i) => family(`a${i}`, help)))
      },
    }),
  )
  const { address, port } = await serve(t, [dump, ...stats])
  for (const path of ['/config_dump', '/metrics']) {
    using stuck = await RawClient.to(port)
    stuck.send(get(path).repeat(20))
    await stuck.until('HTTP/1.1 200')
    stuck.socket.pause()
    // Meanwhile another client gets its whole reply.
    assert.ok((await call(address, path)).text.length >= 30_000_000)
  }
  assert.deepEqual(made, { dumps: 2, metrics: 2 })
})

test('pipelined requests get their replies in order, one after the other', async (t) => {
  let running = 0
  let most = 0
  const slow: AdminEndpoint = {
    path: '/slow',
    methods: ['GET', 'POST'],
    summary: 'answers later what it was asked',
    parameters: [{ name: 'n', summary: 'the number to answer with' }],
    takesBody: true,
    handle: async ({ res, query, body }) => {
      most = Math.max(most, ++running)
      await new Promise(setImmediate)
      running--
      replyText(res, 200, `<${query.get('n')}${body.toString()}>`)
    },
  }
  const { port } = await serve(t, [slow])
  using client = await RawClient.to(port)
  const numbers = Array.from({ length: 20 }, (_, i) => i)
  const post = 'POST /slow?n=p HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\nabc'
  client.send(numbers.map((n) => get(`/slow?n=${n}`)).join('') + post + get('/slow?n=last'))
  const text = await client.until('<last>')
  assert.deepEqual(
    [...text.matchAll(/<(\w+)>/g)].map(([, n]) => n),
    [...numbers.map(String), 'pabc', 'last'],
  )
  assert.equal(most, 1)
  // The connection remains usable.
  client.send(get('/slow?n=again'))
  await client.until('<again>')
})

test('a client that pipelines without end is disconnected', async (t) => {
  let handled = 0
  const silent: AdminEndpoint = {
    path: '/silent',
    methods: ['GET'],
    summary: 'does not answer',
    handle: () => {
      handled++
    },
  }
  const { port } = await serve(t, [silent])
  using client = await RawClient.to(port)
  client.send(get('/silent').repeat(1_000))
  assert.equal(await client.end(), '')
  assert.equal(handled, 1)
})

test('a turn of the event loop writes one slice of one body, however many clients there are', async (t) => {
  let turn = 0
  const madeIn = new Map<number, Set<number>>()
  const making = (body: number): void => {
    madeIn.set(turn, (madeIn.get(turn) ?? new Set()).add(body))
  }
  const busy = () => {
    const until = performance.now() + 3
    while (performance.now() < until);
  }
  let bodies = 0
  function* parts(body: number): Generator<FamilyPart> {
    for (let part = 0; part < 4; part++) {
      making(body)
      busy()
      yield family(`part${part}`, 'x')
    }
  }
  const stats = statsEndpoints(
    metricsReport({
      parts: () => {
        making(bodies)
        return Promise.resolve(parts(bodies++))
      },
    }),
  )
  const dump = configDumpEndpoint(() => {
    making(bodies++)
    return {}
  })
  const { address } = await serve(t, [dump, ...stats])
  let isOver = false
  const count = () => {
    turn++
    if (!isOver) setImmediate(count)
  }
  count()
  const texts = await Promise.all(
    Array.from({ length: 10 }, async () => [
      (await call(address, '/metrics')).text,
      (await call(address, '/config_dump')).text,
    ]),
  )
  isOver = true
  for (const [metrics = '', dump] of texts) {
    assert.deepEqual(
      metrics.match(/# TYPE \w+/g)?.join(),
      '# TYPE part0,# TYPE part1,# TYPE part2,# TYPE part3',
    )
    assert.equal(dump, '{}\n')
  }
  // Callers share reports that were collected after they asked.
  assert.ok(bodies > 10 && bodies <= 20, String(bodies))
  assert.deepEqual(
    [...madeIn.values()].filter(({ size }) => size > 1),
    [],
  )
})
