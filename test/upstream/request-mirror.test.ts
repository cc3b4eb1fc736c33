import assert from 'node:assert/strict'
import { test } from 'node:test'
import { emptyBody } from '../../src/model/exchange/body.ts'
import { Headers } from '../../src/model/exchange/headers.ts'
import { Registry } from '../../src/upstream/registry.ts'
import { backendsAt, snapshotOf } from '../support/resources.ts'
import { httpServer, type UpstreamServer } from '../support/upstream-servers.ts'
import { resourceIndex } from '../../src/model/resources/resource-index.ts'

const withMirror = async (
  server: UpstreamServer,
  host: string,
  act: (send: ReturnType<ReturnType<Registry['session']>['mirror']>) => Promise<void>,
  mirrored: (seconds: number) => void = () => undefined,
): Promise<void> => {
  const registry = new Registry({ lookup: (_, told) => told(null, ['127.0.0.1']), mirrored })
  const session = registry.session(resourceIndex(backendsAt({})), () => assert.fail())
  const send = session.mirror({ kind: 'host', target: { host, port: server.port } }, {})
  session.commit(snapshotOf(backendsAt({})))
  try {
    await act(send)
  } finally {
    await registry.close()
  }
}

const copy = () => ({
  method: 'POST',
  target: '/a?b',
  scheme: 'http' as const,
  authority: 'gateway.test',
  headers: new Headers(['host', 'gateway.test', 'x-a', '1']),
  body: emptyBody,
})

test('a mirrored request', async (t) => {
  await t.test('arrives without a body, with the name of its destination if that has one', async () => {
    const seen: string[] = []
    await using server = await httpServer((req, res) => {
      seen.push(
        `${req.method ?? ''} ${req.url ?? ''} ${req.headers.host ?? ''} ${req.headers['content-length'] ?? ''}`,
      )
      res.end('x'.repeat(1_000_000))
    })
    await withMirror(server, '127.0.0.1', (send) => send(copy()))
    await withMirror(server, 'mirror.test', (send) => send(copy()))
    assert.deepEqual(seen, ['POST /a?b gateway.test 0', `POST /a?b mirror.test:${server.port} 0`])
  })

  await t.test('is reported once, with the time to the head of its response, or to its failure', async () => {
    let finish = (): void => undefined
    const server = await httpServer((_, res) => {
      res.write('begun')
      finish = () => res.end()
    })
    const times: number[] = []
    const tell = (seconds: number) => {
      times.push(seconds)
      finish()
    }
    await withMirror(server, '127.0.0.1', (send) => send(copy()), tell)
    assert.equal(times.length, 1)
    await server[Symbol.asyncDispose]()
    await withMirror(server, '127.0.0.1', (send) => assert.rejects(send(copy())), tell)
    assert.equal(times.length, 2)
    assert.ok(times.every((seconds) => seconds > 0 && seconds < 60))
  })

  await t.test('that fails rejects its promise', async () => {
    const server = await httpServer(() => undefined)
    await server[Symbol.asyncDispose]()
    await withMirror(server, '127.0.0.1', (send) =>
      assert.rejects(send(copy()), { code: 'upstream_connect' }),
    )
  })
})
