import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { Dependencies, type DependencyStatus } from '../../../src/upstream/dependency-status.ts'
import { RemoteKeySet, type RemoteKeySetOptions } from '../../../src/upstream/jwks/remote-key-set.ts'
import { startKeyServer } from '../../support/key-server.ts'
import { keySetOf, signer } from '../../support/tokens.ts'

const a = signer('a')
const b = signer('b')

/** A key set, and its health. */
const open = (url: string, more: Partial<RemoteKeySetOptions> = {}) => {
  const heard: DependencyStatus[] = []
  let wake: () => void = () => undefined
  const dependencies = new Dependencies((status) => {
    heard.push(status)
    wake()
  })
  const keys = new RemoteKeySet({ url, report: dependencies.add(`jwks ${url}`, true), ...more })
  return {
    keys,
    heard,
    dependencies,
    /** Resolves after so many changes of state. */
    told: async (count: number) => {
      while (heard.length < count) await new Promise<void>((resolve) => (wake = resolve))
    },
    [Symbol.asyncDispose]: () => keys.close(),
  }
}

const idsOf = ({ ring }: RemoteKeySet) => ring?.ids

test('fetches the keys when it is created', async () => {
  await using server = await startKeyServer(a)
  await using set = open(server.url)
  assert.deepEqual(set.dependencies.pending, [`jwks ${server.url}`])
  await set.told(1)
  assert.deepEqual(idsOf(set.keys), ['a'])
  assert.deepEqual(set.dependencies.pending, [])
  assert.equal(server.requests[0]?.headers.accept, 'application/jwk-set+json, application/json')
})

test('concurrent lookups share one request', async () => {
  await using server = await startKeyServer(a)
  await using set = open(server.url)
  await set.told(1)
  server.show(a, b)
  await Promise.all(Array.from({ length: 50 }, () => set.keys.seek('b')))
  assert.deepEqual(idsOf(set.keys), ['a', 'b'])
  assert.equal(server.requests.length, 2)
})

test('lookups during the first request need no other', async () => {
  await using server = await startKeyServer(a)
  await using set = open(server.url)
  await Promise.all([set.keys.seek('a'), set.keys.seek('a')])
  assert.deepEqual(idsOf(set.keys), ['a'])
  assert.equal(server.requests.length, 1)
})

test('fetches again for lookups that began during an older request', async () => {
  await using server = await startKeyServer(a)
  let release: () => void = () => undefined
  const old = keySetOf(a)
  server.answer((_, res) => {
    release = () => res.end(old)
  })
  await using set = open(server.url)
  await server.asked(1)
  server.answer()
  server.show(b)
  const found = set.keys.seek('b')
  release()
  await found
  assert.deepEqual(idsOf(set.keys), ['b'])
  assert.equal(server.requests.length, 2)
})

test('unknown keys cost the provider few requests, and a new one is found anyway', async () => {
  await using server = await startKeyServer(a)
  await using set = open(server.url, { coolDownMs: 100 })
  await set.told(1)
  const flood = () => Promise.all(Array.from({ length: 500 }, (_, n) => set.keys.seek(`made-up-${n}`)))
  // The first sends a request; the others wait with a lookup of a real key.
  const flooded = flood()
  await server.asked(2)
  server.show(a, b)
  await set.keys.seek('b')
  assert.deepEqual(idsOf(set.keys), ['a', 'b'])
  await flooded
  assert.equal(server.requests.length, 3)
})

test('the number of pending lookups is limited', async () => {
  await using server = await startKeyServer(a)
  await using set = open(server.url, { coolDownMs: 60_000 })
  await set.told(1)
  await set.keys.seek('made-up')
  let settled = 0
  for (let n = 0; n < 1_003; n++) void set.keys.seek('made-up').then(() => settled++)
  await turn()
  assert.equal(settled, 3)
  await set.keys.close()
  await turn()
  assert.equal(settled, 1_003)
  assert.equal(server.requests.length, 2)
})

test('a key that was found does not start the cooldown', async () => {
  await using server = await startKeyServer(a)
  await using set = open(server.url)
  await set.told(1)
  for (const next of ['c', 'd', 'e']) {
    server.show(signer(next))
    await set.keys.seek(next)
    assert.deepEqual(idsOf(set.keys), [next])
  }
})

test('fetches again before the keys expire, and keeps the ring if they are the same', async () => {
  await using server = await startKeyServer(a)
  await using set = open(server.url, { longestMs: 20 })
  await set.told(1)
  const { ring } = set.keys
  await server.asked(4)
  assert.equal(set.keys.ring, ring)
  server.show(b)
  const { length } = server.requests
  await server.asked(length + 2)
  assert.deepEqual(idsOf(set.keys), ['b'])
})

test('sends its entity tag, and accepts 304', async () => {
  await using server = await startKeyServer(a)
  server.answer((req, res) => {
    if (req.headers['if-none-match'] === '"1"') res.writeHead(304).end()
    else res.setHeader('etag', '"1"').end(keySetOf(a))
  })
  await using set = open(server.url, { longestMs: 10 })
  await server.asked(3)
  assert.deepEqual(idsOf(set.keys), ['a'])
  assert.deepEqual(
    server.requests.slice(0, 3).map(({ headers }) => headers['if-none-match']),
    [undefined, '"1"', '"1"'],
  )
  assert.deepEqual(
    set.heard.map(({ state }) => state),
    ['ready'],
  )
})

test('keeps the keys while the provider is unavailable, and has the new ones when it is back', async () => {
  await using server = await startKeyServer(a)
  await using set = open(server.url, { longestMs: 10, retryMs: 5 })
  await set.told(1)
  await server.stop()
  await set.told(2)
  assert.deepEqual(idsOf(set.keys), ['a'])
  assert.equal(set.heard[1]?.state, 'stale')
  assert.match(set.heard[1].error ?? '', /ECONNREFUSED|closed|reset/)
  assert.deepEqual(set.dependencies.pending, [])
  server.show(b)
  await server.start()
  while (set.heard.at(-1)?.state !== 'ready') await set.told(set.heard.length + 1)
  assert.deepEqual(idsOf(set.keys), ['b'])
})

test('has no keys before the provider is available, and fetches them by itself', async () => {
  await using server = await startKeyServer(a)
  await server.stop()
  await using set = open(server.url, { retryMs: 5 })
  await set.keys.seek('a')
  assert.equal(set.keys.ring, undefined)
  assert.deepEqual(set.dependencies.pending, [`jwks ${server.url}`])
  await server.start()
  while (set.heard.at(-1)?.state !== 'ready') await set.told(set.heard.length + 1)
  assert.deepEqual(idsOf(set.keys), ['a'])
})

const endless = (res: ServerResponse): void => {
  while (!res.destroyed && res.write(Buffer.alloc(65_536, 32)));
  if (!res.destroyed) res.once('drain', () => endless(res))
}

const failures: readonly (readonly [
  string,
  Parameters<Awaited<ReturnType<typeof startKeyServer>>['answer']>[0],
  RegExp,
])[] = [
  ['an error', (_, res) => res.writeHead(500).end(keySetOf(a)), /status 500/],
  ['an error page', (_, res) => res.writeHead(404).end('x'.repeat(300)), /status 404/],
  [
    'an error page in pieces',
    (_, res) => {
      res.writeHead(503).write('x'.repeat(300))
      setImmediate(() => res.end('x'.repeat(300_000)))
    },
    /status 503/,
  ],
  [
    'an error page without end',
    (_, res) => {
      res.writeHead(404)
      endless(res)
    },
    /status 404|aborted/,
  ],
  ['a redirect', (_, res) => res.writeHead(302, { location: '/other' }).end(), /status 302/],
  ['no key set', (_, res) => res.end('<html>'), /key set is not JSON/],
  ['no usable key', (_, res) => res.end('{"keys":[]}'), /no key that could be used/],
  [
    'a body without end',
    (_, res) => {
      endless(res)
    },
    /longer than 1048576 bytes/,
  ],
  ['silence', () => undefined, /did not answer within 1000 ms/],
  [
    'half a response',
    (_, res) => res.writeHead(200, { 'content-length': '100' }).write('{'),
    /did not answer within 1000 ms/,
  ],
  ['a broken connection', (req) => req.socket.destroy(), /closed|reset|socket/i],
]

for (const [what, how, reason] of failures)
  test(`reports ${what} as a failure`, async () => {
    await using server = await startKeyServer(a)
    server.answer(how)
    // The provider must have the request by then. The others may take as long as a busy machine needs.
    const timeoutMs = reason.source.includes('within 1000 ms') ? 1_000 : 60_000
    await using set = open(server.url, { timeoutMs, retryMs: 60_000 })
    await set.told(1)
    assert.match(set.heard[0]?.error ?? '', reason)
    assert.equal(set.keys.ring, undefined)
    assert.equal(server.requests.length, 1)
  })

test('a provider that removes all its keys is trusted', async () => {
  await using server = await startKeyServer(a)
  await using set = open(server.url)
  await set.told(1)
  server.show()
  await set.keys.seek('b')
  assert.deepEqual(idsOf(set.keys), [])
})

test('cancels a pending request, and sends no more', async () => {
  await using server = await startKeyServer(a)
  server.answer(() => undefined)
  const set = open(server.url, { retryMs: 1 })
  await server.asked(1)
  await set.keys.close()
  await set.keys.seek('a')
  assert.equal(server.requests.length, 1)
  assert.deepEqual(set.dependencies.statuses, [])
})
