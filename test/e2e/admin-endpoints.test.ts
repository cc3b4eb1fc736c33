import assert from 'node:assert/strict'
import { type IncomingHttpHeaders, request } from 'node:http'
import { test } from 'node:test'
import type { AdminEndpoint } from '../../src/admin/endpoint.ts'
import type { AdminParameter } from '../../src/admin/parameters.ts'
import { loadConfig } from '../../src/config/load.ts'
import { openRuntime } from '../../src/runtime.ts'
import { anyPorts, startDaemon } from '../support/daemon.ts'

/** However long turns of the event loop take on a busy machine, that is no overload here. */
const configuration = `${anyPorts}
frontendPolicies: { admission: { lag: 10m } }
gateways: { default: { port: 0, address: 127.0.0.1 } }
routes: [{ policies: { directResponse: { status: 200, body: ok } } }]
`

/** The table of the daemon, from a runtime of the same configuration that serves nothing. */
const adminEndpoints = async (): Promise<readonly AdminEndpoint[]> => {
  const loaded = await loadConfig({ kind: 'text', text: configuration }, {})
  const runtime = openRuntime(loaded, { env: {} })
  await runtime.registry.close(0)
  return runtime.admin
}

interface Head {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

/** One request. A stream is left after its head: `text` is complete for other replies only. */
const send = (url: string, method = 'GET', headers = {}): Promise<Head> =>
  new Promise((resolve, reject) => {
    const req = request(url, { method, headers, agent: false }, (res) => {
      let text = ''
      const done = () => resolve({ status: res.statusCode ?? 0, headers: res.headers, text })
      res.on('data', (chunk: Buffer) => (text += chunk.toString()))
      res.on('end', done).on('error', reject)
      if (res.headers['content-type'] === 'text/event-stream') {
        done()
        req.destroy()
      }
    })
    req.on('error', reject).end()
  })

const valid = ({ values }: AdminParameter): string => {
  if (values === undefined) return 'x'
  return 'from' in values ? String(values.from) : (values[0] ?? '')
}

const invalid = ({ values }: AdminParameter): readonly string[] => {
  if (values === undefined) return []
  if ('from' in values) return [String(values.from - 1), String(values.to + 1), '', '1e1', 'x']
  return ['', 'no-such'].filter((value) => !values.includes(value))
}

/** These answer with a stream, or measure for as long as their reply takes. */
const withoutHead = new Set(['/debug/trace', '/debug/pprof/profile', '/debug/pprof/heap'])

test('every endpoint of the admin server', async (t) => {
  const endpoints = await adminEndpoints()
  await using daemon = await startDaemon(configuration)
  const admin = daemon.url('admin')
  const at = (path: string, query: Iterable<readonly [string, string]> = []) => {
    const text = new URLSearchParams(
      Array.from(query, ([name, value]): [string, string] => [name, value]),
    ).toString()
    return `${admin}${path}${text === '' ? '' : `?${text}`}`
  }
  const declared = ({ parameters = [] }: AdminEndpoint) => (parameters === 'ignored' ? [] : parameters)

  assert.ok(endpoints.length >= 8)
  for (const endpoint of endpoints) {
    const { path, methods } = endpoint
    const [method = 'GET'] = methods

    await t.test(`${path} replies 405 with Allow to other methods`, async () => {
      for (const other of ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS']) {
        if (methods.includes(other)) continue
        const { status, headers, text } = await send(at(path), other)
        assert.deepEqual([status, headers.allow, text], [405, methods.join(', '), ''])
      }
    })

    await t.test(`${path} replies 400 to wrong and doubled parameters, with the valid ones`, async () => {
      const names = declared(endpoint).map(({ name }) => name)
      const unknown = await send(at(path, [['nonsense', '1']]), method)
      const known = names.length === 0 ? 'there are none' : `known are ${names.join(', ')}`
      assert.equal(unknown.status, 400)
      assert.ok(unknown.text.startsWith(`unknown parameter: nonsense; ${known}\n`), unknown.text)
      for (const parameter of declared(endpoint)) {
        const { name } = parameter
        const value = valid(parameter)
        const doubled = await send(at(path, [[name, value], [name, value]]), method) // prettier-ignore
        assert.equal(doubled.status, 400)
        assert.ok(doubled.text.startsWith(`parameter given twice: ${name}\n`), doubled.text)
        for (const wrong of invalid(parameter)) {
          const { status, text } = await send(at(path, [[name, wrong]]), method)
          assert.equal(status, 400, `${name}=${wrong}`)
          assert.match(text, new RegExp(`^${name} must be `))
        }
      }
    })

    await t.test(`${path} replies 403 to foreign hosts and origins`, async () => {
      for (const headers of [
        { host: 'evil.example' },
        { origin: 'https://evil.example' },
        { origin: 'null' },
      ])
        for (const one of methods) assert.equal((await send(at(path), one, headers)).status, 403)
    })

    if (methods.includes('GET') && !withoutHead.has(path))
      await t.test(`${path} replies to HEAD with the head of GET`, async () => {
        const [get, head] = [await send(at(path)), await send(at(path), 'HEAD')]
        assert.deepEqual([head.status, head.text], [get.status, ''])
        assert.equal(head.headers['content-type'], get.headers['content-type'])
      })
  }

  await t.test('replies to 200 concurrent callers, without delaying traffic', async () => {
    const tookMs: number[] = []
    const load = { isOver: false }
    const traffic = (async () => {
      while (!load.isOver) {
        const began = performance.now()
        assert.equal((await send(`${daemon.url('default')}/`)).status, 200)
        tookMs.push(performance.now() - began)
      }
    })()
    for (const endpoint of endpoints) {
      if (endpoint.path === '/quitquitquit') continue
      const { path, methods } = endpoint
      const seconds = declared(endpoint).find(({ name }) => name === 'seconds')
      const url = at(path, seconds ? [['seconds', valid(seconds)]] : [])
      const replies = await Promise.all(Array.from({ length: 200 }, () => send(url, methods[0])))
      const statuses = new Set(replies.map(({ status }) => status))
      // A limit or a missing body is an answer too; a failure is none.
      for (const status of statuses) assert.ok(status < 500 || status === 503, `${path}: ${status}`)
    }
    load.isOver = true
    await traffic
    const sorted = tookMs.sort((a, b) => a - b)
    const median = sorted[Math.floor(sorted.length / 2)] ?? Infinity
    // Callers, traffic and gateway share the processors here; `admin-under-load` and the bench have the strict bound.
    assert.ok(median < 2_000, `the median was ${median} ms of ${sorted.length} requests`)
  })

  await t.test('/quitquitquit ends the gateway, once the rest has been tested', async () => {
    const { status, text } = await send(at('/quitquitquit'), 'POST')
    assert.deepEqual([status, text], [200, 'shutdown now\n'])
    await daemon.printed(/ended/)
  })
})
