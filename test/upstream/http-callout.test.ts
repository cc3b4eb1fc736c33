import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer as createHttp2Server } from 'node:http2'
import { type AddressInfo, createServer } from 'node:net'
import { test } from 'node:test'
import { Headers } from '../../src/model/exchange/headers.ts'
import type { BackendPolicies, SimpleBackend } from '../../src/model/resources/policies.ts'
import type { HttpCallout, CalloutRequest } from '../../src/upstream/http-callout.ts'
import { Registry } from '../../src/upstream/registry.ts'
import { backendsAt, snapshotOf } from '../support/resources.ts'
import { httpServer, listening } from '../support/upstream-servers.ts'
import { resourceIndex } from '../../src/model/resources/resource-index.ts'

const question = (more: Partial<CalloutRequest> = {}): CalloutRequest => ({
  method: 'GET',
  target: '/a?b=1',
  headers: new Headers(['x-a', '1']),
  timeoutMs: 5_000,
  limitBytes: 1_000,
  ...more,
})

const withAsk = async (
  target: SimpleBackend,
  act: (ask: HttpCallout) => Promise<void>,
  policies: BackendPolicies = {},
  addresses: readonly string[] = ['127.0.0.1'],
): Promise<void> => {
  const registry = new Registry({ lookup: (_, told) => told(null, addresses), random: () => 0 })
  const session = registry.session(resourceIndex(backendsAt({})), () => assert.fail())
  const ask = session.httpCallout(target, policies)
  session.commit(snapshotOf(backendsAt({})))
  try {
    await act(ask ?? assert.fail('nobody to ask'))
  } finally {
    await registry.close(0)
  }
}

const at = (port: number, host = '127.0.0.1'): SimpleBackend => ({ kind: 'host', target: { host, port } })

test('an HTTP callout', async (t) => {
  await t.test('sends method, path, headers and body, and returns the complete response', async () => {
    const seen: unknown[] = []
    await using server = await httpServer((req, res) => {
      req.on('data', (chunk: Buffer) => seen.push(chunk.toString()))
      req.on('end', () => {
        const { host, 'x-a': one, 'content-length': length } = req.headers
        seen.push([req.method, req.url, host, one, length])
        res.writeHead(418, { 'x-b': '2' }).end('short and stout')
      })
    })
    await withAsk(at(server.port, 'decider.test'), async (ask) => {
      const { status, headers, body } = await ask(question({ method: 'POST', body: Buffer.from('why') }))
      assert.deepEqual([status, headers.get('x-b'), body.toString()], [418, '2', 'short and stout'])
    })
    assert.deepEqual(seen, ['why', ['POST', '/a?b=1', `decider.test:${server.port}`, '1', '3']])
  })

  await t.test('uses HTTP/2 if the policies say so', async () => {
    await using server = await listening(
      createHttp2Server((req, res) => {
        res.setHeader('x-version', req.httpVersion)
        res.end(req.authority)
      }),
    )
    await withAsk(
      at(server.port),
      async (ask) => {
        const { headers, body } = await ask(question())
        assert.deepEqual([headers.get('x-version'), body.toString()], ['2.0', `127.0.0.1:${server.port}`])
      },
      { http: { version: '2' } },
    )
  })

  await t.test('fails at its timeout, and releases the connection', async () => {
    let left: Promise<unknown> = Promise.resolve()
    await using server = await httpServer((_, res) => {
      left = once(res, 'close')
    })
    await withAsk(at(server.port), async (ask) => {
      await assert.rejects(ask(question({ timeoutMs: 50 })), { code: 'upstream_timeout', status: 504 })
      await left
    })
  })

  await t.test('is cancelled when it is no longer needed', async () => {
    const leaving = new AbortController()
    await using server = await httpServer(() => leaving.abort())
    await withAsk(at(server.port), async (ask) => {
      await assert.rejects(ask(question({ signal: leaving.signal })), { code: 'abandoned' })
      await assert.rejects(ask(question({ signal: AbortSignal.abort() })), { code: 'abandoned' })
    })
  })

  await t.test('refuses a response beyond the limit', async () => {
    await using server = await httpServer((_, res) => {
      res.end('x'.repeat(1_001))
    })
    await withAsk(at(server.port), (ask) => assert.rejects(ask(question()), { code: 'body_too_large' }))
  })

  await t.test('tries the next address if one is unreachable', async () => {
    await using server = await httpServer((_, res) => {
      res.end('here')
    })
    const act = async (ask: HttpCallout) => {
      for (let i = 0; i < 4; i++) assert.equal((await ask(question())).body.toString(), 'here')
    }
    await withAsk(at(server.port, 'two.test'), act, {}, ['127.0.0.2', '127.0.0.1'])
  })

  await t.test('rejects if the response is aborted', async () => {
    const server = createServer((socket) => {
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf'))
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    try {
      const { port } = server.address() as AddressInfo
      await withAsk(at(port), (ask) => assert.rejects(ask(question()), { code: 'upstream_failed' }))
    } finally {
      server.close()
    }
  })

  await t.test('requires an endpoint', async () => {
    const registry = new Registry()
    const session = registry.session(resourceIndex(backendsAt({})), () => assert.fail())
    assert.equal(session.httpCallout({ kind: 'backend', key: '/nobody' }, {}), undefined)
    session.discard()
    await registry.close()
  })
})
