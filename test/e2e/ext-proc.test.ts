import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after, before, beforeEach, suite, test } from 'node:test'
import type { ProcessingRequest } from '../../src/protocols/grpc/ext-proc.gen.ts'
import { sendRequest } from '../support/send-request.ts'
import { anyPorts, type Daemon, startDaemon } from '../support/daemon.ts'
import { echoed, type EchoUpstream, startEcho } from '../support/echo-upstream.ts'
import {
  respondingTo,
  asItIs,
  casesOf,
  type Processor,
  type ProcessorResponse,
  startProcessor,
} from '../support/processor.ts'

/** Routes by the first segment of the path. */
const route = (name: string, policies: string, host: string): string => `
  - name: ${name}
    matches: [{ path: { pathPrefix: /${name} } }]
    policies: { ${policies} }
    backends: [{ host: "${host}" }]`

const heads = 'processingOptions: { requestBodyMode: none, responseBodyMode: none }'

const configuration = (host: string, at: string): string => `${anyPorts}
gateways:
  default: { port: 0, address: 127.0.0.1 }
  hasty: { port: 0, address: 127.0.0.1, extProc: { host: "${at}", ${heads}, policies: { http: { requestTimeout: 50ms } } } }
  processed: { port: 0, address: 127.0.0.1, extProc: { host: "${at}", ${heads} } }
routes:
${route('heads', `extProc: { host: "${at}", ${heads} }`, host)}
${route('told', `extProc: { host: "${at}", ${heads}, metadataContext: { shop: { path: request.path, bad: "request.headers['none']" }, agentgateway.dev.grpc_initial_metadata: { x-caller: "'gateway'", x-n: "3", x-list: "[1]" } }, requestAttributes: { method: request.method, bad: "request.headers['none']" }, responseAttributes: { code: response.code } }`, host)}
${route('requests', `extProc: { host: "${at}", processingOptions: { requestBodyMode: none, responseBodyMode: none, responseHeaderMode: skip, responseTrailerMode: skip } }`, host)}
${route('replies', `extProc: { host: "${at}", processingOptions: { requestBodyMode: none, responseBodyMode: none, requestHeaderMode: skip, requestTrailerMode: skip } }`, host)}
${route('results', `extProc: { host: "${at}", ${heads}, resultHeaders: [X-User] }`, host)}
${route('values', `extProc: { host: "${at}", ${heads} }, transformations: { request: { set: { x-level: string(extproc.level) } } }`, host)}
${route('direct', `extProc: { host: "${at}", ${heads} }, directResponse: { status: 418, body: teapot }`, host)}
${route('shut', `extProc: { host: "127.0.0.1:1", ${heads} }`, host)}
${route('open', `extProc: { host: "127.0.0.1:1", failureMode: failOpen, resultHeaders: [x-user] }`, host)}
${route('patient', `extProc: { host: "${at}", failureMode: failOpen, ${heads} }`, host)}
${route('quick', `extProc: { host: "${at}", ${heads}, policies: { http: { requestTimeout: 50ms } } }`, host)}
${route('quickopen', `extProc: { host: "${at}", ${heads}, failureMode: failOpen, policies: { http: { requestTimeout: 50ms } } }`, host)}
${route('timed', `extProc: { host: "${at}" }, timeout: { requestTimeout: 200ms }`, host)}
${route('perhaps', `extProc: { conditional: [{ condition: "request.method == 'POST'", host: "${at}", ${heads}, resultHeaders: [x-user] }] }`, host)}
${route('free', '', host)}
  - name: gone
    matches: [{ path: { pathPrefix: /gone } }]
    policies: { extProc: { host: "${at}", ${heads} } }
    backends: [{ host: "127.0.0.1:1" }]
  - { name: hasty, gateways: hasty, backends: [{ host: "${host}" }] }
  - name: processed
    gateways: processed
    policies: { extProc: { host: "${at}", ${heads} } }
    backends: [{ host: "${host}" }]
`

const setHeaders = (fields: Readonly<Record<string, string>>, more: object = {}) => ({
  setHeaders: Object.entries(fields).map(([key, value]) => ({
    header: { key, rawValue: Buffer.from(value) },
    ...more,
  })),
})

const fieldsOf = ({ request }: ProcessingRequest): Record<string, string> => {
  assert.ok(request.case === 'requestHeaders' || request.case === 'responseHeaders')
  return Object.fromEntries(
    (request.value.headers?.headers ?? []).map(({ key, value, rawValue }) => [
      key,
      key.startsWith(':') ? value : Buffer.from(rawValue).toString(),
    ]),
  )
}

/** Changes request headers, and leaves everything else unchanged. */
const onRequests = (headerMutation: object) =>
  respondingTo(({ request }) =>
    request.case === 'requestHeaders'
      ? { response: { case: 'requestHeaders', value: { response: { headerMutation } } } }
      : asItIs,
  )

const immediate = (value: object): ProcessorResponse => ({ response: { case: 'immediateResponse', value } })

suite('an extProc processor of headers', () => {
  let daemon: Daemon
  let upstream: EchoUpstream
  let processor: Processor
  const asked = (target: string, options: Parameters<typeof sendRequest>[2] = {}) =>
    sendRequest(daemon.url('default'), target, options)
  const stuck = () => {
    const client = connect(Number(new URL(daemon.url('default')).port), '127.0.0.1')
    client.write('GET /heads HTTP/1.1\r\nhost: a\r\n\r\n')
    return client
  }
  before(async () => {
    upstream = await startEcho('upstream')
    processor = await startProcessor()
    daemon = await startDaemon(configuration(upstream.host, processor.host))
  })
  after(async () => {
    await daemon.stop('SIGKILL')
    await upstream[Symbol.asyncDispose]()
    await processor[Symbol.asyncDispose]()
  })
  beforeEach(async () => {
    await processor.idle()
    processor.received.length = 0
    processor.counts.begun = 0
    processor.onStream = respondingTo(() => asItIs)
    upstream.asked.length = 0
    upstream.headers = {}
  })

  test('gets them in order, on one stream, which ends with the exchange', async () => {
    const answer = await asked('/heads/a?b=1', { method: 'POST', headers: { 'x-a': 'é' }, body: 'hi' })
    assert.deepEqual([answer.status, echoed(answer).body], [200, 'hi'])
    await processor.idle()
    assert.equal(processor.counts.begun, 1)
    assert.deepEqual(casesOf(processor.received), ['requestHeaders', 'responseHeaders'])
    const [request, reply] = processor.received
    assert.ok(request && reply)
    const { host, 'x-a': xa, ...rest } = fieldsOf(request)
    assert.deepEqual(
      [rest[':method'], rest[':scheme'], rest[':authority'], rest[':path'], rest['content-length'], host, xa],
      ['POST', 'http', new URL(daemon.url('default')).host, '/heads/a?b=1', '2', undefined, 'é'],
    )
    assert.equal(fieldsOf(reply)[':status'], '200')
    assert.deepEqual(
      [
        request.protocolConfig?.requestBodyMode,
        request.protocolConfig?.responseBodyMode,
        reply.protocolConfig,
      ],
      [0, 0, undefined],
    )
    assert.equal(request.request.case === 'requestHeaders' && request.request.value.endOfStream, false)
  })

  test('gets endOfStream if there is no body', async () => {
    await asked('/heads', { method: 'HEAD' })
    assert.deepEqual(
      processor.received.map(
        ({ request }) => request.value && 'endOfStream' in request.value && request.value.endOfStream,
      ),
      [true, true],
    )
  })

  test('changes request headers: removals first, then each field by its append action', async () => {
    const set = (key: string, value: string, appendAction: number) => ({
      header: { key, rawValue: Buffer.from(value) },
      appendAction,
    })
    processor.onStream = onRequests({
      removeHeaders: ['x-gone', 'x-both', 'host', 'content-length'],
      setHeaders: [
        set('x-both', 'new', 0),
        set('x-more', '2', 0),
        set('x-if-absent', 'new', 1),
        set('x-was-absent', 'new', 1),
        set('x-set', 'new', 2),
        set('x-if-there', 'new', 3),
        set('x-was-not-there', 'new', 3),
        { header: { key: 'x-older', value: 'b' }, append: false },
        { header: { key: 'x-oldest', value: 'b' }, append: true },
        set('transfer-encoding', 'chunked', 2),
        set('connection', 'x-set', 2),
      ],
    })
    const headers = {
      'x-gone': 'a',
      'x-both': 'a',
      'x-more': '1',
      'x-if-absent': 'a',
      'x-set': 'a',
      'x-if-there': 'a',
      'x-older': 'a',
      'x-oldest': 'a',
    }
    const { headers: seen, body } = echoed(await asked('/heads', { method: 'POST', headers, body: 'hi' }))
    const names = Object.keys(seen).filter((name) => name.startsWith('x-'))
    assert.deepEqual(Object.fromEntries(names.map((name) => [name, seen[name]])), {
      'x-both': 'new',
      'x-more': '1, 2',
      'x-if-absent': 'a',
      'x-was-absent': 'new',
      'x-set': 'new',
      'x-if-there': 'new',
      'x-older': 'b',
      'x-oldest': 'a, b',
    })
    assert.deepEqual([body, seen['content-length'], seen['transfer-encoding']], ['hi', '2', undefined])
  })

  test('changes pseudo-headers to valid values only', async () => {
    processor.onStream = onRequests(
      setHeaders({ ':path': '/other?c=2', ':method': 'PUT', ':authority': 'b.test' }),
    )
    const { target, method, headers } = echoed(await asked('/heads', { method: 'POST', body: '' }))
    assert.deepEqual([target, method, headers.host], ['/other?c=2', 'PUT', 'b.test'])
    processor.onStream = onRequests(
      setHeaders({ ':path': 'no path', ':method': 'CONNECT', ':status': '500' }),
    )
    const kept = echoed(await asked('/heads/a', { method: 'POST', body: '' }))
    assert.deepEqual([kept.target, kept.method], ['/heads/a', 'POST'])
  })

  test('changes response headers and the status', async () => {
    processor.onStream = respondingTo(({ request }) =>
      request.case === 'responseHeaders'
        ? {
            response: {
              case: 'responseHeaders',
              value: {
                response: {
                  headerMutation: { removeHeaders: ['x-b'], ...setHeaders({ ':status': '203', 'x-c': '1' }) },
                },
              },
            },
          }
        : asItIs,
    )
    upstream.headers = { 'x-b': '1' }
    const { status, headers } = await asked('/heads')
    assert.deepEqual([status, headers['x-b'], headers['x-c']], [203, undefined, '1'])
  })

  test('gets the attributes of expressions; those that fail are omitted', async () => {
    let initial: Readonly<Record<string, unknown>> = {}
    const answers = processor.onStream
    processor.onStream = (talk) => {
      initial = talk.metadata.getMap()
      answers(talk)
    }
    await asked('/told/a')
    const [request, reply] = processor.received
    assert.deepEqual([initial['x-caller'], initial['x-n'], initial['x-list']], ['gateway', '3', undefined])
    assert.deepEqual({ ...request?.metadataContext?.filterMetadata }, { shop: { path: '/told/a' } })
    assert.deepEqual({ ...reply?.metadataContext?.filterMetadata }, { shop: { path: '/told/a' } })
    assert.deepEqual({ ...request?.attributes }, { 'envoy.filters.http.ext_proc': { method: 'GET' } })
    assert.deepEqual({ ...reply?.attributes }, { 'envoy.filters.http.ext_proc': { code: 200 } })
  })

  test('gets the configured phase only', async () => {
    await asked('/requests')
    await asked('/replies')
    assert.deepEqual(casesOf(processor.received), ['requestHeaders', 'responseHeaders'])
  })

  test('sets metadata for later expressions', async () => {
    processor.onStream = respondingTo(({ request }) =>
      request.case === 'requestHeaders'
        ? { response: { case: 'requestHeaders', value: {} }, dynamicMetadata: { level: 'high' } }
        : asItIs,
    )
    assert.equal(echoed(await asked('/values')).headers['x-level'], 'high')
  })

  test('gets forged headers of its own names, which are removed afterwards', async () => {
    const first = echoed(await asked('/results', { headers: { 'x-user': 'admin' } }))
    assert.equal(first.headers['x-user'], undefined)
    assert.equal(fieldsOf(processor.received[0] ?? assert.fail())['x-user'], 'admin')
    processor.onStream = onRequests(setHeaders({ 'x-user': 'bob' }))
    const second = echoed(await asked('/results', { headers: { 'x-user': 'admin' } }))
    assert.equal(second.headers['x-user'], 'bob')
  })

  test('can send an immediate response', async () => {
    processor.onStream = respondingTo(() =>
      immediate({
        status: { code: 429 },
        headers: setHeaders({ 'x-a': '1' }),
        body: Buffer.from('slow down'),
      }),
    )
    const answer = await asked('/heads')
    assert.deepEqual(
      [answer.status, answer.text, answer.headers['x-a'], answer.headers['content-type']],
      [429, 'slow down', '1', 'text/plain'],
    )
    assert.equal(upstream.asked.length, 0)
    assert.deepEqual(casesOf(processor.received), ['requestHeaders'])
  })

  test('sends an immediate response with 200 by default, and fails with an invalid status', async () => {
    processor.onStream = respondingTo(() => immediate({ body: Buffer.from('hi') }))
    assert.deepEqual([(await asked('/heads')).status], [200])
    processor.onStream = respondingTo(() => immediate({ status: { code: 101 } }))
    const answer = await asked('/heads')
    assert.deepEqual(
      [answer.status, answer.text],
      [500, 'ext_proc failed: the processor answered with the status 101'],
    )
  })

  test('can send an immediate response in the response phase', async () => {
    processor.onStream = respondingTo(({ request }) =>
      request.case === 'responseHeaders'
        ? immediate({ status: { code: 403 }, body: Buffer.from('no') })
        : asItIs,
    )
    const answer = await asked('/heads')
    assert.deepEqual([answer.status, answer.text, upstream.asked.length], [403, 'no', 1])
  })

  test('does not get local replies of the gateway', async () => {
    assert.deepEqual([(await asked('/direct')).status, (await asked('/gone')).status], [418, 503])
    await processor.idle()
    assert.deepEqual(casesOf(processor.received), ['requestHeaders', 'requestHeaders'])
  })

  test('can close its stream early', async () => {
    processor.onStream = (talk) => {
      talk.on('data', () => {
        talk.write({ response: { case: 'requestHeaders', value: {} } })
        talk.end()
      })
    }
    assert.equal((await asked('/heads')).status, 200)
    assert.deepEqual(casesOf(processor.received), ['requestHeaders'])
  })

  test('fails the request if it is unreachable, unless failureMode allows', async () => {
    const shut = await asked('/shut')
    assert.deepEqual([shut.status, shut.text], [500, 'ext_proc failed: the processor cannot be reached'])
    const open = await asked('/open', { method: 'POST', headers: { 'x-user': 'admin' }, body: 'hello' })
    assert.deepEqual([echoed(open).body, echoed(open).headers['x-user']], ['hello', undefined])
  })

  for (const [when, name] of [
    ['request', 'requestHeaders'],
    ['reply', 'responseHeaders'],
  ] as const)
    test(`that breaks off at the ${when} fails it, unless failureMode allows`, async () => {
      processor.onStream = (talk) => {
        talk.on('data', (message: ProcessingRequest) => {
          if (message.request.case === name) talk.emit('error', { code: 13, details: 'on purpose' })
          else talk.write({ response: { case: 'requestHeaders', value: {} } })
        })
      }
      const shut = await asked('/heads')
      assert.deepEqual(
        [shut.status, shut.text],
        [500, 'ext_proc failed: the processor broke off with an error'],
      )
      const open = await asked('/patient', { method: 'POST', body: 'hello' })
      assert.deepEqual([open.status, echoed(open).body], [200, 'hello'])
    })

  test('that closes the stream before it has responded fails the request', async () => {
    processor.onStream = (talk) => {
      talk.on('data', () => talk.end())
    }
    assert.equal((await asked('/heads')).text, 'ext_proc failed: the processor broke off')
    assert.equal((await asked('/patient')).status, 200)
  })

  test('that exceeds its message timeout fails the request, and its stream is cancelled', async () => {
    processor.onStream = () => undefined
    const shut = await asked('/quick')
    assert.deepEqual([shut.status, shut.text], [500, 'ext_proc failed: the processor did not answer in time'])
    assert.equal((await asked('/quickopen')).status, 200)
    assert.equal((await sendRequest(daemon.url('hasty'), '/')).text, shut.text)
    await processor.idle()
  })

  test('that does not respond is subject to the timeout of the route', async () => {
    processor.onStream = () => undefined
    assert.equal((await asked('/timed')).status, 504)
    await processor.idle()
    processor.onStream = respondingTo(({ request }) =>
      request.case === 'requestHeaders' ? asItIs : undefined,
    )
    assert.equal((await asked('/timed')).status, 504)
    await processor.idle()
  })

  test('that violates the protocol fails the request, even if failureMode allows', async () => {
    processor.onStream = respondingTo(() => ({ response: { case: 'responseBody', value: {} } }))
    const answer = await asked('/patient')
    assert.deepEqual(
      [answer.status, answer.text],
      [500, 'ext_proc failed: the processor spoke of what it was not shown'],
    )
    processor.onStream = respondingTo(() => ({}))
    assert.equal((await asked('/patient')).text, 'ext_proc failed: the processor said nothing')
  })

  test('is cancelled if the client leaves', async () => {
    const begun = Promise.withResolvers<undefined>()
    processor.onStream = () => begun.resolve(undefined)
    const client = stuck()
    await begun.promise
    client.resetAndDestroy()
    await processor.idle()
  })

  test('that does not respond does not delay other requests', async () => {
    const begun = Promise.withResolvers<undefined>()
    processor.onStream = () => {
      if (processor.counts.begun === 50) begun.resolve(undefined)
    }
    const clients = Array.from({ length: 50 }, stuck)
    await begun.promise
    const free = await Promise.all(Array.from({ length: 20 }, () => asked('/free')))
    assert.ok(free.every(({ status }) => status === 200))
    for (const client of clients) client.resetAndDestroy()
    await processor.idle()
  })

  test('is called if the condition holds', async () => {
    await asked('/perhaps')
    assert.equal(processor.counts.begun, 0)
    const { headers } = echoed(await asked('/perhaps', { headers: { 'x-user': 'admin' } }))
    assert.equal(headers['x-user'], undefined)
    await asked('/perhaps', { method: 'POST', body: '' })
    assert.deepEqual(casesOf(processor.received), ['requestHeaders', 'responseHeaders'])
  })

  test('of a gateway runs around that of a route', async () => {
    processor.onStream = respondingTo(({ request }) =>
      request.case === 'requestHeaders'
        ? {
            response: {
              case: 'requestHeaders',
              value: { response: { headerMutation: setHeaders({ 'x-a': 'b' }) } },
            },
          }
        : asItIs,
    )
    const answer = await sendRequest(daemon.url('processed'), '/')
    assert.equal(echoed(answer).headers['x-a'], 'b, b')
    await processor.idle()
    assert.equal(processor.counts.begun, 2)
    assert.deepEqual(casesOf(processor.received), [
      'requestHeaders',
      'requestHeaders',
      'responseHeaders',
      'responseHeaders',
    ])
  })
})
