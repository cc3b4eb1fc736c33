import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { sendRequest } from '../../test/support/send-request.ts'
import { startExample } from '../../test/support/example.ts'
import { startUpstream } from '../../test/support/upstream.ts'

const order = (items: number): string =>
  JSON.stringify({ items: Array.from({ length: items }, () => ({ sku: 'ABC-DEF-1000' })) })

interface Event {
  readonly message: { readonly type: string; readonly kind?: string; readonly tookUs?: number }
}

test('examples/slow-route', async (t) => {
  let reports: ServerResponse | undefined
  await using shop = await startUpstream((request, response) => {
    if (request.url === '/reports') reports = response
    else request.resume().on('end', () => response.end('ordered'))
  })
  await using daemon = await startExample('slow-route', { SHOP: shop.host })
  const url = daemon.url('default')
  const admin = daemon.url('admin')
  const post = (body: string) => sendRequest(url, '/orders', { method: 'POST', body })
  const gatewayMs = async (items: number): Promise<number> => {
    let { status, headers } = await post(order(items))
    // On a busy machine, the expression may exceed the time that it is allowed.
    while (status === 403) ({ status, headers } = await post(order(items)))
    const [, ms] = /^gateway;dur=([\d.]+), upstream;dur=[\d.]+$/.exec(String(headers['server-timing'])) ?? []
    assert.deepEqual([status, ms === undefined], [200, false])
    return Number(ms)
  }

  await t.test('reports the time in the gateway, which grows with the body', async () => {
    // The shortest of many: other programs on the machine prolong single requests.
    const shortest = async (items: number) => {
      const all: number[] = []
      for (let i = 0; i < 20; i++) all.push(await gatewayMs(items))
      return Math.min(...all)
    }
    assert.ok((await shortest(2_000)) > 2 * (await shortest(10)))
    const wrong = JSON.stringify({ items: [{ sku: 'no' }] })
    assert.equal((await post(wrong)).status, 403)
  })

  await t.test('names the policy in the trace', async () => {
    const slowestOfTrace = async (): Promise<string | undefined> => {
      const trace = (await fetch(`${admin}/debug/trace`)).text()
      await post(order(2_000))
      const slowest = (await trace)
        .split('\n')
        .filter((line) => line.startsWith('data: '))
        .map((line) => (JSON.parse(line.slice('data: '.length)) as Event).message)
        .filter(({ type, kind }) => type === 'policy' && kind !== 'backend')
        .sort((a, b) => Number(b.tookUs) - Number(a.tookUs))
      return slowest[0]?.kind
    }
    // Other programs on the machine may prolong another policy of a single request.
    const kinds: (string | undefined)[] = []
    for (let i = 0; i < 9; i++) kinds.push(await slowestOfTrace())
    const named = kinds.filter((kind) => kind === 'authorization')
    assert.ok(named.length > kinds.length / 2, kinds.join())
  })

  await t.test('writes a CPU profile', async () => {
    const load = new AbortController()
    const posting = (async () => {
      while (!load.signal.aborted) await post(order(2_000))
    })()
    // The names of functions are in the string table of the profile.
    const names = async (): Promise<string> => {
      const response = await fetch(`${admin}/debug/pprof/profile?seconds=1`)
      const profile = Buffer.from(await response.arrayBuffer())
      assert.equal(response.status, 200, profile.toString())
      return gunzipSync(profile).toString('latin1')
    }
    // A gateway that gets no processor has few samples.
    while (!/evaluate/i.test(await names()));
    load.abort()
    await posting
  })

  await t.test('lists a request that waits for the backend', async () => {
    const reply = sendRequest(url, '/reports')
    while (!reports) await once(shop.server, 'request')
    const tasks = await (await fetch(`${admin}/debug/tasks?format=text`)).text()
    assert.match(
      tasks,
      /exchange GET \/reports \S+ id=\d+ stage=upstream stage=\S+ host=\S+ route=default\/reports target=\/shop/,
    )
    assert.match(tasks, /upstream call \S+ \S+ backend=\/shop attempt=1 state="waiting for the head"/)
    reports.end('report')
    assert.equal((await reply).text, 'report')
  })
})
