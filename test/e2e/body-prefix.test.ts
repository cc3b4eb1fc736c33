import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import { after, before, suite, test } from 'node:test'
import { text } from 'node:stream/consumers'
import { sendRequest } from '../support/send-request.ts'
import { anyPorts, type Daemon, startDaemon } from '../support/daemon.ts'
import { startUpstream, type Upstream } from '../support/upstream.ts'

const MEGABYTE = 2 ** 20

suite('expressions that read the beginning of a body', () => {
  let upstream: Upstream
  let daemon: Daemon
  let base: string
  let calls = 0

  const route = (name: string, policies: string): string =>
    `  - { name: ${name}, matches: [{ path: { pathPrefix: /${name} } }], policies: ${policies}, backends: [{ host: "${upstream.host}" }] }`

  before(async () => {
    // Replies with the received field, the length of the body, and as many bytes as requested.
    upstream = await startUpstream((req, res) => {
      calls++
      let length = 0
      req.on('data', (chunk: Buffer) => (length += chunk.length))
      req.on('end', () => {
        const { searchParams } = new URL(req.url ?? '', 'http://upstream')
        res.setHeader('x-length', String(length))
        res.setHeader('x-seen', req.headers['x-begins'] ?? 'nothing')
        if (searchParams.has('trailer')) res.setHeader('trailer', 'x-sum')
        const body = 'abcdefghij'.repeat(Number(searchParams.get('tens') ?? '0'))
        if (searchParams.has('length')) res.setHeader('content-length', String(body.length))
        res.writeHead(searchParams.has('fail') && calls === 1 ? 503 : 200)
        if (searchParams.has('trailer')) res.addTrailers({ 'x-sum': '1' })
        res.write(body.slice(0, 5))
        res.end(body.slice(5))
      })
    })
    daemon = await startDaemon(`${anyPorts}
gateways: { default: { port: 0, address: 127.0.0.1 } }
frontendPolicies: { http: { maxBufferSize: 8 } }
routes:
${route('begins', '{ transformations: { request: { set: { x-begins: string(request.bodyPrefix) } } } }')}
${route('answers', '{ transformations: { response: { set: { x-begins: string(response.bodyPrefix) } } } }')}
${route('afterwards', '{ transformations: { response: { set: { x-begins: string(request.bodyPrefix) } } } }')}
${route('replaces', '{ transformations: { request: { body: request.bodyPrefix } } }')}
${route('whole', '{ transformations: { request: { set: { x-begins: "string(request.bodyPrefix)", x-all: "string(request.body)" } } } }')}
${route('all-answers', '{ transformations: { response: { set: { x-begins: "string(response.bodyPrefix)", x-all: "string(response.body)" } } } }')}
${route('chosen', `{ directResponse: { conditional: [{ condition: "string(request.bodyPrefix) == '01234567'", status: 202, body: chosen }] } }`)}
${route('again', `{ retry: { attempts: 1, codes: [], condition: "response.code == 503 && string(request.bodyPrefix) == '01234567'" } }`)}
`)
    base = daemon.url('default')
  })
  after(async () => {
    await daemon.stop('SIGKILL')
    await upstream[Symbol.asyncDispose]()
  })

  /** Sends a body in pieces, without a length. */
  const stream = async (path: string, pieces: readonly string[]) => {
    const { hostname, port } = new URL(base)
    const req = request({ hostname, port, path, method: 'POST', agent: false })
    for (const piece of pieces) {
      if (!req.write(piece)) await once(req, 'drain')
    }
    req.end()
    const [res] = (await once(req, 'response')) as [IncomingMessage]
    return { status: res.statusCode, headers: res.headers, text: await text(res), trailers: res.trailers }
  }

  for (const length of [7, 8, 9, 70_000])
    test(`see up to the buffer limit of ${length} bytes, and the upstream gets all`, async () => {
      const body = '0123456789'.repeat(7_000).slice(0, length)
      const announced = await sendRequest(base, '/begins', { method: 'POST', body })
      const streamed = await stream('/begins', [body.slice(0, 3), body.slice(3)])
      for (const { status, headers } of [announced, streamed])
        assert.deepEqual(
          [status, headers['x-length'], headers['x-seen']],
          [200, String(length), body.slice(0, 8)],
        )
    })

  test('do not buffer a large body', async () => {
    const pieces = Array.from({ length: 4 }, () => '0123456789abcdef'.repeat(MEGABYTE / 16))
    const { status, headers } = await stream('/begins', pieces)
    assert.deepEqual(
      [status, headers['x-length'], headers['x-seen']],
      [200, String(4 * MEGABYTE), '01234567'],
    )
  })

  test('see the beginning of responses, which are forwarded whole, with their length or their trailers', async () => {
    const short = await sendRequest(base, '/answers?tens=0')
    assert.deepEqual([short.status, short.headers['x-begins'], short.text], [200, '', ''])
    const announced = await sendRequest(base, '/answers?tens=7000&length')
    assert.deepEqual(
      [announced.status, announced.headers['x-begins'], announced.headers['content-length']],
      [200, 'abcdefgh', '70000'],
    )
    assert.equal(announced.text, 'abcdefghij'.repeat(7000))
    const streamed = await stream('/answers?tens=7000&trailer', [])
    assert.deepEqual([streamed.headers['x-begins'], streamed.trailers['x-sum']], ['abcdefgh', '1'])
    assert.equal(streamed.text.length, 70_000)
  })

  test('see the beginning of the request in the response phase', async () => {
    const { status, headers } = await sendRequest(base, '/afterwards', { method: 'POST', body: '0123456789' })
    assert.deepEqual([status, headers['x-length'], headers['x-begins']], [200, '10', '01234567'])
  })

  test('can replace the body by its beginning', async () => {
    const { status, headers } = await stream('/replaces', ['0123456789', 'abc'])
    assert.deepEqual([status, headers['x-length']], [200, '8'])
  })

  test('choose policies by the beginning', async () => {
    const chosen = await sendRequest(base, '/chosen', { method: 'POST', body: '0123456789' })
    assert.deepEqual([chosen.status, chosen.text], [202, 'chosen'])
    const other = await sendRequest(base, '/chosen', { method: 'POST', body: 'x123456789' })
    assert.deepEqual([other.status, other.headers['x-length']], [200, '10'])
  })

  test('decide about retries by the beginning', async () => {
    calls = 0
    const { status, headers } = await stream('/again?fail', ['0123', '456789'])
    assert.deepEqual([status, headers['x-length'], calls], [200, '10', 2])
  })

  test('do not raise the limit for expressions that read whole bodies', async () => {
    const small = await sendRequest(base, '/whole', { method: 'POST', body: '01234567' })
    assert.deepEqual([small.status, small.headers['x-length']], [200, '8'])
    assert.equal((await sendRequest(base, '/whole', { method: 'POST', body: '012345678' })).status, 413)
    assert.equal((await sendRequest(base, '/all-answers?tens=1')).status, 502)
  })
})
