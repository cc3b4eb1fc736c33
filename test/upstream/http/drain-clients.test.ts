import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { test, type TestContext } from 'node:test'
import { Pool } from 'undici'
import type { Connect } from '../../../src/upstream/http/endpoint-agent.ts'
import { PooledClient } from '../../../src/upstream/http/pooled-client.ts'
import { retireClients } from '../../../src/upstream/http/drain-clients.ts'
import { httpServer, type UpstreamServer } from '../../support/upstream-servers.ts'

/** A pool with the settings of an endpoint, and all of its clients. */
const poolOf = (t: TestContext, { port }: UpstreamServer) => {
  const clients: PooledClient[] = []
  const dial: Connect = (connected, raw) => {
    const socket = (raw as Socket).connect(port, '127.0.0.1')
    socket.once('connect', () => connected(null, socket))
  }
  const pool = new Pool(`http://127.0.0.1:${port}`, {
    connections: null,
    pipelining: 1,
    allowH2: false,
    factory: (origin, options) => {
      const client = new PooledClient(origin, options, dial, true)
      clients.push(client)
      return client
    },
  })
  retireClients(pool)
  t.after(() => pool.destroy())
  return { pool, open: () => clients.filter((client) => !client.closed), clients }
}
const get = async (pool: Pool): Promise<string> =>
  (await pool.request({ path: '/', method: 'GET' })).body.text()
const turn = () => new Promise(setImmediate)

test('clients that were created at a peak are closed with their connections', async (t) => {
  const waiting: ServerResponse[] = []
  await using server = await httpServer((_, res) => void waiting.push(res))
  const { pool, open, clients } = poolOf(t, server)
  /** The number of concurrent requests. */
  const peak = async (size: number): Promise<ReadonlySet<string>> => {
    const all = Promise.all(Array.from({ length: size }, () => get(pool)))
    while (waiting.length < size) await turn()
    for (const res of waiting.splice(0)) res.end('ok')
    return new Set(await all)
  }

  await peak(50)
  assert.ok(open().length >= 50)
  for (const socket of server.sockets) socket.destroy()
  // Eight connected clients, and the one that undici has ready for the next request.
  while (open().length > 9) await turn()
  assert.deepEqual(new Set(clients.map(({ socket }) => socket)), new Set([undefined]))
  // The pool continues with the remaining clients and with new ones.
  assert.deepEqual(await peak(1), new Set(['ok']))
  assert.deepEqual(await peak(20), new Set(['ok']))
})

test('an upstream that closes every connection does not need a client for each request', async (t) => {
  await using server = await httpServer((_, res) => res.setHeader('connection', 'close').end('bye'))
  const { pool, clients } = poolOf(t, server)
  for (let n = 0; n < 30; n++) assert.equal(await get(pool), 'bye')
  assert.equal(server.opened(), 30)
  assert.ok(clients.length <= 9, `${clients.length}`)
})
