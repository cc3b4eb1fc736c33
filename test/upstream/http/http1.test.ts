import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { suite, test } from 'node:test'
import { BufferBody, emptyBody } from '../../../src/model/exchange/body.ts'
import type { UpstreamRequest } from '../../../src/upstream/call.ts'
import { Endpoint } from '../../../src/upstream/load-balancing/endpoint.ts'
import { callHttp1 } from '../../../src/upstream/http/http1.ts'
import { HttpProxy } from '../../../src/upstream/connect/http-proxy.ts'
import { defaultUpstreamSettings } from '../../../src/upstream/registry.ts'
import { UpstreamRecorder } from '../../support/upstream-recorder.ts'
import { streamBody, until } from '../../support/stream-body.ts'
import { rawServer, type UpstreamServer } from '../../support/upstream-servers.ts'

const request = (parts: Partial<UpstreamRequest> = {}): UpstreamRequest => ({
  method: 'GET',
  target: '/',
  headers: ['host', 'client.test'],
  body: emptyBody,
  ...parts,
})

/** Calls `up.example` through a proxy that gets complete requests. */
const withForwarder = async (
  server: Promise<UpstreamServer>,
  act: (
    call: (parts?: Partial<UpstreamRequest>, hasTrailers?: boolean) => UpstreamRecorder,
    proxy: UpstreamServer,
  ) => Promise<void>,
): Promise<void> => {
  await using proxy = await server
  const addresses = [{ host: '127.0.0.1', port: proxy.port }]
  const endpoint = new Endpoint(
    { host: 'up.example', port: 80 },
    {
      ...defaultUpstreamSettings,
      host: 'up.example',
      poolMaxSize: undefined,
      tls: undefined,
      protocol: 'auto',
      proxy: new HttpProxy(
        { addresses, host: '127.0.0.1', tls: undefined, tcp: undefined, authorization: 'Basic abc' },
        defaultUpstreamSettings,
        () => assert.fail('no name has to be looked up'),
      ),
    },
  )
  try {
    await act((parts, hasTrailers) => {
      const answer = new UpstreamRecorder((body) => void body.read(1_000).catch(() => undefined))
      callHttp1(endpoint, request(parts), answer, hasTrailers)
      return answer
    }, proxy)
  } finally {
    await endpoint.destroy()
  }
}

/** Responds to each complete request head, depending on its number. */
const answering = (answers: (nth: number, head: string) => string | undefined): Promise<UpstreamServer> => {
  let nth = 0
  return rawServer((socket) => {
    socket.on('data', (chunk) => {
      const head = chunk.toString('latin1')
      if (!head.includes('\r\n\r\n')) return
      const bytes = answers(nth++, head)
      if (bytes === undefined) socket.destroy()
      else socket.write(bytes, 'latin1')
    })
  })
}

suite('a request to an HTTP proxy', () => {
  for (const hasTrailers of [false, true]) {
    const how = hasTrailers ? ', trailers included' : ''

    test(`is cancelled if the proxy requires authentication, whatever length it declares${how}`, async () => {
      const says = 'HTTP/1.1 407 Who\r\nproxy-authenticate: Basic\r\ncontent-length: 14\r\n\r\nwho'
      await withForwarder(
        answering(() => says),
        async (call, proxy) => {
          const body = new BufferBody(Buffer.from('abc'))
          const answer = await call(hasTrailers ? { method: 'POST', body } : {}, hasTrailers).done
          assert.equal(answer.status, undefined)
          assert.equal(answer.fault?.code, 'upstream_connect')
          assert.equal(answer.fault.message, 'upstream call failed: refused by the proxy with 407')
          await until(() => proxy.sockets.size === 0, 'the end of the connection')
          assert.equal(answer.ends, 0)
        },
      )
    })
  }

  test('is not sent to its end if the proxy requires authentication before', async () => {
    await withForwarder(
      rawServer((socket) => {
        socket.once('data', () => {
          socket.write('HTTP/1.1 407 Who\r\ncontent-length: 0\r\n\r\n')
          socket.resume()
        })
      }),
      async (call, proxy) => {
        const endless = new Readable({ read: () => undefined })
        endless.push('abc')
        const answer = await call({ method: 'POST', body: streamBody(endless) }).done
        assert.match(String(answer.fault), /refused by the proxy with 407/)
        await until(() => proxy.sockets.size === 0, 'the end of the connection')
      },
    )
  })

  test('is sent again if the connection to the proxy was stale, with the credential', async () => {
    const heads: string[] = []
    await withForwarder(
      answering((nth, head) => {
        heads.push(head)
        return nth === 1 ? undefined : 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'
      }),
      async (call, proxy) => {
        assert.equal((await call().done).status, 200)
        await new Promise(setImmediate)
        assert.equal((await call().done).status, 200)
        assert.equal(proxy.opened(), 2)
        assert.equal(heads.length, 3)
        for (const head of heads) {
          assert.match(head, /^GET http:\/\/up\.example\/ HTTP\/1\.1\r\nhost: up\.example\r\n/)
          assert.match(head, /\r\nproxy-authorization: Basic abc\r\n/)
        }
      },
    )
  })

  test('gets informational responses, and any status except 407', async () => {
    const says =
      'HTTP/1.1 103 Early\r\nlink: a\r\n\r\nHTTP/1.1 502 Bad\r\nproxy-connection: keep-alive\r\nx: 1\r\ncontent-length: 0\r\n\r\n'
    await withForwarder(
      answering(() => says),
      async (call) => {
        const answer = await call().done
        assert.deepEqual(answer.infos, [{ status: 103, headers: ['link', 'a'] }])
        assert.equal(answer.status, 502)
        assert.deepEqual(answer.headers, ['x', '1', 'content-length', '0'])
      },
    )
  })
})
