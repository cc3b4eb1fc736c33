import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent, createServer, get, type IncomingMessage, type RequestListener } from 'node:http'
import { connect as connectHttp2 } from 'node:http2'
import { createServer as createSecureServer, get as getSecurely } from 'node:https'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { makeAuthority } from '../support/certificates.ts'
import { anyPorts, startDaemon } from '../support/daemon.ts'
import { type ReadPace, readPatterned, type Sending, sendPatterned } from '../support/patterned-body.ts'
import { listening } from '../support/upstream-servers.ts'

const ROUTES = ['plain', 'secure', 'mirrored', 'headers', 'rewritten', 'held', 'retried', 'unix'] as const
const CLIENTS = ['http1', 'tls', 'http2'] as const
const FRAMINGS = ['length', 'chunked', 'trailers', 'close'] as const
const WRITES = [300, 8_192, 20_000, 32_768, 65_536, 200_000]
const SIZES = [9_000, 24_000, 70_000, 100_000, 150_000, 400_000, 900_000]
/** More than the buffers of the sockets hold. */
const LARGE_BYTES = 12_000_000

/** A response whose body has not been read. */
interface Fetched {
  readonly status: number
  readonly stream: Readable
}

/** Sends the body that the target describes; `/retried` first fails with one of the same length. */
const answer = (): RequestListener => {
  const seen = new Set<number>()
  return (req, res) => {
    const url = new URL(req.url ?? '', 'http://up')
    const sending = JSON.parse(url.searchParams.get('send') ?? '') as Sending
    if (url.pathname === '/retried' && !seen.has(sending.id)) {
      seen.add(sending.id)
      res.statusCode = 503
      sendPatterned(res, { ...sending, id: sending.id + 1_000_000 })
    } else sendPatterned(res, sending)
  }
}

test('reused read buffers never leak into another response', { timeout: 500_000 }, async (t) => {
  using authority = makeAuthority()
  const { cert, key } = authority.issue('up.example')
  const ours = authority.issue('gateway.example')
  await using plain = await listening(createServer({ keepAliveTimeout: 60_000 }, answer()))
  await using mirror = await listening(createServer(answer()))
  await using secure = await listening(createSecureServer({ cert, key }, answer()))
  const path = `${authority.folder}/up.sock`
  await using unix = new AsyncDisposableStack()
  const server = unix.adopt(createServer(answer()).listen(path), (one) => {
    one.closeAllConnections()
    one.close()
  })
  await once(server, 'listening')
  const at = `host: "127.0.0.1:${plain.port}"`
  const route = (name: string, policies: string, backend = at): string =>
    `  - { name: ${name}, gateways: [clear, tls], matches: [{ path: { exact: /${name} } }], policies: ${policies}, backends: [{ ${backend} }] }`
  // On a busy machine handshakes and turns of the event loop take long, which is no overload here.
  await using daemon = await startDaemon(`${anyPorts}  backend: { connectTimeout: 10m }
frontendPolicies: { admission: { lag: 10m } }
gateways:
  clear: { port: 0, address: 127.0.0.1 }
  tls: { port: 0, address: 127.0.0.1, tls: { cert: ${ours.certFile}, key: ${ours.keyFile} } }
routes:
${route('plain', '{}')}
${route('secure', '{}', `host: "127.0.0.1:${secure.port}", policies: { backendTLS: { root: ${authority.certFile}, hostname: up.example } }`)}
${route('mirrored', `{ requestMirror: { backend: { host: "127.0.0.1:${mirror.port}" } } }`)}
${route('headers', `{ transformations: { response: { set: { x-code: "string(response.code)" } } } }`)}
${route('rewritten', '{ transformations: { response: { body: "response.body" } } }')}
${route('held', '{ buffer: { response: {} } }')}
${route('retried', '{ retry: { attempts: 2, codes: [503] } }')}
${route('unix', '{}', `host: "unix:${path}"`)}
`)

  using clients = new DisposableStack()
  const agent = clients.adopt(new Agent({ keepAlive: true }), (one) => one.destroy())
  const clear = daemon.url('clear')
  const tls = daemon.url('tls')
  const session = clients.adopt(connectHttp2(clear), (one) => one.destroy())
  const fetchers: Record<(typeof CLIENTS)[number], (target: string) => Promise<Fetched>> = {
    http1: async (target) => responseOf(get(`${clear}${target}`, { agent })),
    tls: async (target) => responseOf(getSecurely(`${tls}${target}`, { rejectUnauthorized: false })),
    http2: async (target) => {
      const stream = session.request({ ':path': target })
      const [headers] = (await once(stream, 'response')) as [{ readonly ':status': number }]
      return { status: headers[':status'], stream }
    },
  }

  /** Downloads one body and reports what was wrong with it. */
  const download = async (
    client: (typeof CLIENTS)[number],
    name: string,
    sending: Sending,
    manner: ReadPace,
  ): Promise<string | undefined> => {
    const target = `/${name}?send=${encodeURIComponent(JSON.stringify(sending))}`
    const { status, stream } = await fetchers[client](target)
    if (status !== 200) return `${client} /${name}: ${status} ${await text(stream)}`
    const wrong = await readPatterned(stream, sending, manner)
    return wrong && `${client} /${name} ${sending.framing} in ${sending.writeBytes}: ${wrong}`
  }

  let id = 0
  /** Many different downloads at once, while others pause and resume only after these are complete. */
  const wave = async (count: number): Promise<string[]> => {
    const { promise: through, resolve } = Promise.withResolvers<undefined>()
    const stopped = [1, 2, 3, 4, 5, 6].map((i) => {
      const framing = i % 2 ? 'length' : 'chunked'
      const writeBytes = WRITES[i % WRITES.length] as number
      const sending: Sending = { id: id++, lengthBytes: LARGE_BYTES, writeBytes, framing, breaks: false }
      return download(i === 6 ? 'tls' : 'http1', 'plain', sending, { slow: i % 3 === 0, after: through })
    })
    const others = Array.from({ length: count }, (_, i) => {
      const name = ROUTES[(i * 5 + (i >> 4)) % ROUTES.length] as string
      const readsWhole = name === 'rewritten' || name === 'held'
      const framing = FRAMINGS[(i >> 1) % FRAMINGS.length] as Sending['framing']
      const breaks = i % 17 === 16 && !readsWhole && name !== 'retried' && framing !== 'close'
      const sending: Sending = {
        id: id++,
        lengthBytes: SIZES[(i * 3 + (i >> 3)) % SIZES.length] as number,
        writeBytes: WRITES[(i + (i >> 2)) % WRITES.length] as number,
        framing,
        breaks,
      }
      const manner = { slow: i % 4 === 1, ...(i % 7 === 6 && { leavesAfter: 40_000 }) }
      return download(i % 2 ? 'http1' : (CLIENTS[i % 3] as 'http1'), name, sending, manner)
    })
    const wrong = await Promise.all(others)
    resolve(undefined)
    wrong.push(...(await Promise.all(stopped)))
    return wrong.filter((one) => one !== undefined)
  }

  await t.test('with clients of every speed, and with aborts and retries', async () => {
    for (let i = 0; i < 3; i++) assert.deepEqual(await wave(100), [])
  })

  await t.test('with a trace that shows bodies', async () => {
    const watcher = get(`${daemon.url('admin')}/debug/trace?follow=true&bodies=true`, { agent: false })
    const [res] = (await once(watcher, 'response')) as [IncomingMessage]
    res.resume()
    assert.deepEqual(await wave(60), [])
    watcher.destroy()
  })
})

const responseOf = async (req: ReturnType<typeof get>): Promise<Fetched> => {
  const [res] = (await once(req, 'response')) as [IncomingMessage]
  return { status: res.statusCode ?? 0, stream: res }
}
