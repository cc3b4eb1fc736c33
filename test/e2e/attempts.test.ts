import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { type AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { after, before, beforeEach, suite, test } from 'node:test'
import { sendRequest, type RequestParts } from '../support/send-request.ts'
import { anyPorts, type Daemon, startDaemon } from '../support/daemon.ts'
import { type EchoUpstream, startEcho } from '../support/echo-upstream.ts'

interface Call {
  readonly attempt: string | undefined
  readonly body: string
}

const configuration = (port: number, mirrored: EchoUpstream): string => {
  const route = (name: string, policies: string): string =>
    `  - { name: ${name}, matches: [{ path: { pathPrefix: /${name} } }], policies: ${policies}, backends: [{ host: "127.0.0.1:${port}" }] }`
  return `${anyPorts}
gateways: { default: { port: 0, address: 127.0.0.1 } }
routes:
${route('twice', '{ retry: { attempts: 2, codes: [503, 500] } }')}
${route('once', '{ retry: { codes: [503] } }')}
${route('backoff', '{ retry: { attempts: 2, codes: [503], backoff: 40ms } }')}
${route('bounded', '{ retry: { attempts: 100, codes: [503], backoff: 200ms }, timeout: { requestTimeout: 3s } }')}
${route('only-get', `{ retry: { attempts: 2, codes: [503], precondition: "request.method == 'GET'" } }`)}
${route('judged', `{ retry: { attempts: 2, codes: [599], condition: "response.headers['x-again'] == 'yes'" } }`)}
${route('judged-by-body', `{ retry: { attempts: 2, codes: [599], condition: "string(response.body) == 'again'" } }`)}
${route('each', '{ retry: { attempts: 2, codes: [599] }, timeout: { backendRequestTimeout: 3s } }')}
${route('limited', '{ timeout: { requestTimeout: 3s } }')}
${route('first', '{ timeout: { backendRequestTimeout: 3s } }')}
${route('held', '{ buffer: { request: { maxBytes: 10 }, response: { maxBytes: 10 } } }')}
${route('open', '{ buffer: { request: { maxBytes: 10, failureMode: failOpen }, response: { maxBytes: 10, failureMode: failOpen } } }')}
${route('mirrored', `{ requestMirror: [{ backend: { host: "${mirrored.host}" } }, { backend: { host: "127.0.0.1:1" } }], requestHeaderModifier: { set: { x-changed: "yes" } } }`)}
${route('seldom', `{ requestMirror: { backend: { host: "${mirrored.host}" }, percentage: 0 } }`)}
`
}

suite('retries and timeouts', () => {
  let daemon: Daemon
  let mirrored: EchoUpstream
  let calls: Call[] = []
  let answer: (req: IncomingMessage, res: ServerResponse, call: number) => void = () => undefined
  const upstream = createServer((req, res) => {
    const attempt = req.headers['x-retry-attempt'] as string | undefined
    void text(req).then(
      (body) => {
        calls.push({ attempt, body })
        answer(req, res, calls.length)
      },
      () => undefined,
    )
  })
  /** Replies with these statuses one after another, then with 200. */
  const statuses =
    (...list: number[]): typeof answer =>
    (_, res, call) => {
      res.statusCode = list[call - 1] ?? 200
      res.end(`call ${call}`)
    }

  before(async () => {
    upstream.listen(0, '127.0.0.1')
    await once(upstream, 'listening')
    mirrored = await startEcho('mirrored')
    daemon = await startDaemon(configuration((upstream.address() as AddressInfo).port, mirrored))
  })
  after(async () => {
    await daemon.stop('SIGKILL')
    await mirrored[Symbol.asyncDispose]()
    upstream.closeAllConnections()
    upstream.close()
  })
  beforeEach(() => {
    calls = []
  })

  const send = (path: string, asked?: RequestParts) => sendRequest(daemon.url('default'), path, asked)
  const outcome = async (path: string, asked?: RequestParts): Promise<[status: number, calls: number]> => {
    const { status } = await send(path, asked)
    return [status, calls.length]
  }

  const bodies: Readonly<Record<string, RequestParts>> = {
    'without a body': {},
    'with a short body': { method: 'POST', body: 'short' },
    'with 64 KiB': { method: 'POST', body: 'a'.repeat(64 * 1024) },
  }
  for (const [name, asked] of Object.entries(bodies))
    test(`a request ${name} is retried with its attempt number`, async () => {
      answer = statuses(503, 500)
      assert.deepEqual(await outcome('/twice', asked), [200, 3])
      assert.deepEqual(
        calls.map(({ attempt }) => attempt),
        [undefined, '1', '2'],
      )
      for (const { body } of calls) assert.equal(body, asked.body ?? '')
    })

  test('a body of unknown length is sent again whole', async () => {
    answer = statuses(503)
    const { hostname, port } = new URL(daemon.url('default'))
    const req = request({ hostname, port, path: '/twice', method: 'POST', agent: false })
    req.write('first ')
    req.end('second')
    const [res] = (await once(req, 'response')) as [IncomingMessage]
    res.resume()
    assert.equal(res.statusCode, 200)
    assert.deepEqual(
      calls.map(({ body }) => body),
      ['first second', 'first second'],
    )
  })

  test('a body of more than 64 KiB is not retried', async () => {
    answer = statuses(503, 503)
    assert.deepEqual(await outcome('/twice', { method: 'POST', body: 'a'.repeat(64 * 1024 + 1) }), [503, 1])
  })

  test('attempts do not include the first call', async () => {
    answer = statuses(503, 503, 503, 503)
    assert.deepEqual(await outcome('/twice'), [503, 3])
    calls = []
    assert.deepEqual(await outcome('/once'), [503, 2])
  })

  test('other statuses are not retried', async () => {
    answer = statuses(502)
    assert.deepEqual(await outcome('/twice'), [502, 1])
  })

  test('the attempt number cannot be forged by a client', async () => {
    answer = statuses(200)
    await send('/twice', { headers: { 'x-retry-attempt': '7' } })
    assert.equal(calls[0]?.attempt, undefined)
  })

  test('a connection that breaks before the response is retried', async () => {
    answer = (req, res, call) => {
      if (call < 3) req.socket.destroy()
      else res.end('there')
    }
    assert.deepEqual(await outcome('/twice', { method: 'POST', body: 'x' }), [200, 3])
  })

  test('a retry is delayed by the backoff', async () => {
    answer = statuses(503, 503)
    const began = performance.now()
    assert.deepEqual(await outcome('/backoff'), [200, 3])
    // Timers may be a little early.
    assert.ok(performance.now() - began >= 72)
  })

  test('retries end with the timeout of the request', async () => {
    answer = statuses(...Array.from({ length: 50 }, () => 503))
    const { status, text: body } = await send('/bounded')
    assert.deepEqual([status, body], [504, 'request timeout'])
    assert.ok(calls.length > 1 && calls.length < 20, String(calls.length))
  })

  test('a precondition can prevent a retry', async () => {
    answer = statuses(503)
    assert.deepEqual(await outcome('/only-get', { method: 'POST', body: 'x' }), [503, 1])
    calls = []
    assert.deepEqual(await outcome('/only-get'), [200, 2])
  })

  test('a condition can read the response', async () => {
    answer = (_, res, call) => res.setHeader('x-again', call === 1 ? 'yes' : 'no').end()
    assert.deepEqual(await outcome('/judged'), [200, 2])
  })

  test('a condition can read the body of the response, which the client still gets', async () => {
    answer = (_, res, call) => res.end(call === 1 ? 'again' : 'done')
    const { text: body } = await send('/judged-by-body')
    assert.deepEqual([body, calls.length], ['done', 2])
  })

  test('each attempt has its own timeout', async () => {
    answer = (_, res, call) => {
      if (call === 3) res.end('third')
    }
    const { text: body } = await send('/each')
    assert.deepEqual([body, calls.length], ['third', 3])
  })

  test('a request that stalls in its body times out with 504', async () => {
    const { hostname, port } = new URL(daemon.url('default'))
    const headers = { 'content-length': '10' }
    const req = request({ hostname, port, path: '/limited', method: 'POST', headers, agent: false })
    req.on('error', () => undefined)
    req.write('half')
    const [res] = (await once(req, 'response')) as [IncomingMessage]
    assert.deepEqual([res.statusCode, await text(res)], [504, 'request timeout'])
    assert.equal(calls.length, 0)
    req.destroy()
  })

  test('a response that stalls in its body is aborted', async () => {
    answer = (_, res) => res.writeHead(200, { 'content-length': '10' }).write('half')
    await assert.rejects(send('/limited'), /aborted|ECONNRESET/)
    answer = (_, res) => void res.write('half')
    await assert.rejects(send('/limited'), /aborted|ECONNRESET/)
  })

  test('the timeout of an attempt ends with the head of the response', async () => {
    answer = (_, res) => {
      res.write('slow ')
      setTimeout(() => res.end('stream'), 3_500)
    }
    assert.equal((await send('/first')).text, 'slow stream')
  })

  test('bodies are buffered up to their limit, and refused beyond', async () => {
    answer = (_, res) => {
      res.write('in ')
      res.end('parts')
    }
    const held = await send('/held', { method: 'POST', body: '0123456789' })
    assert.deepEqual([held.text, held.headers['content-length']], ['in parts', '8'])
    assert.equal((await send('/held', { method: 'POST', body: '0123456789a' })).status, 413)
    answer = (_, res) => res.end('more than ten bytes')
    const { status, headers } = await send('/held')
    assert.deepEqual([status, headers['content-type']], [502, 'text/plain'])
  })

  test('longer bodies are streamed if configured', async () => {
    answer = (_, res) => res.end('more than ten bytes')
    const { text: body } = await send('/open', { method: 'POST', body: 'also more than ten' })
    assert.deepEqual([body, calls[0]?.body], ['more than ten bytes', 'also more than ten'])
  })

  test('mirrored requests have the same body, and their responses are ignored', async () => {
    mirrored.status = 500
    answer = statuses(200)
    const { status, text: body } = await send('/mirrored/x?y', { method: 'POST', body: 'secret' })
    assert.deepEqual([status, body], [200, 'call 1'])
    while (mirrored.asked.length === 0) await new Promise(setImmediate)
    const [copy] = mirrored.asked
    assert.deepEqual(
      [copy?.method, copy?.target, copy?.body, copy?.headers['content-length'], copy?.headers['x-changed']],
      ['POST', '/mirrored/x?y', 'secret', '6', 'yes'],
    )
    const before = mirrored.asked.length
    for (let i = 0; i < 20; i++) await send('/seldom')
    assert.equal(mirrored.asked.length, before)
  })
})
