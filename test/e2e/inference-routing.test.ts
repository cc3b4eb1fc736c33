import assert from 'node:assert/strict'
import { after, before, beforeEach, suite, test } from 'node:test'
import { anyPorts, type Daemon, startDaemon } from '../support/daemon.ts'
import { echoed, type EchoUpstream, startEcho } from '../support/echo-upstream.ts'
import { headWith, metadataWith, type PickedRequest, picking, servedBy } from '../support/endpoint-picker.ts'
import { casesOf, type Processor, startProcessor } from '../support/processor.ts'
import { type RequestParts, sendRequest } from '../support/send-request.ts'

const DESTINATION = 'x-gateway-destination-endpoint'

interface Servers {
  readonly picker: string
  readonly one: EchoUpstream
  readonly two: EchoUpstream
  readonly outside: EchoUpstream
}

const configuration = ({ picker, one, two }: Servers): string => {
  const route = (name: string, routing: object, more: object = {}) => ({
    name,
    matches: [{ path: { pathPrefix: `/${name}` } }],
    ...more,
    backends: [{ service: { name: 'models/pool', port: 8000 }, policies: { inferenceRouting: routing } }],
  })
  const at = { host: picker }
  const unreachable = { host: '127.0.0.1:1' }
  const sections = {
    gateways: { default: { port: 0, address: '127.0.0.1' } },
    // A workload with two ports, each an endpoint of its own, and one with a dead port.
    policies: [
      {
        name: { name: 'picking', namespace: 'models' },
        target: { backend: { service: { namespace: 'models', hostname: 'attached' } } },
        policy: { inferenceRouting: { endpointPicker: at } },
      },
    ],
    services: [
      { name: 'attached', namespace: 'models', hostname: 'attached', ports: { 8000: 8000, 8001: 8001 } },
      { name: 'gone', namespace: 'models', hostname: 'gone', ports: { 9002: 9002 } },
      { name: 'pool', namespace: 'models', hostname: 'pool', ports: { 8000: 8000, 8001: 8001, 8002: 8002 } },
    ],
    workloads: [
      {
        uid: 'w1',
        workloadIps: ['127.0.0.1'],
        services: {
          'models/pool': { 8000: one.port, 8001: two.port, 8002: 1 },
          'models/attached': { 8000: one.port, 8001: two.port },
        },
      },
    ],
    routes: [
      {
        name: 'attached',
        matches: [{ path: { pathPrefix: '/attached' } }],
        backends: [{ service: { name: 'models/attached', port: 8000 } }],
      },
      route('gone', { endpointPicker: { service: { name: 'models/gone', port: 9002 } } }),
      route('goneopen', {
        endpointPicker: { service: { name: 'models/gone', port: 9002 } },
        failureMode: 'failOpen',
      }),
      route('closed', { endpointPicker: at }),
      route('open', { endpointPicker: at, failureMode: 'failOpen' }),
      route('hasty', {
        endpointPicker: { ...at, policies: { http: { requestTimeout: '100ms' } } },
        failureMode: 'failOpen',
      }),
      route('shut', { endpointPicker: unreachable }),
      route('shutopen', { endpointPicker: unreachable, failureMode: 'failOpen' }),
      route('any', { endpointPicker: at, destinationMode: 'passthrough' }),
      route('again', { endpointPicker: at }, { policies: { retry: { attempts: 1, codes: [503] } } }),
      {
        name: 'dynamic',
        matches: [{ path: { pathPrefix: '/dynamic' } }],
        backends: [{ dynamic: {}, policies: { inferenceRouting: { endpointPicker: at } } }],
      },
      {
        name: 'keyed',
        matches: [{ path: { pathPrefix: '/keyed' } }],
        backends: [
          {
            service: { name: 'models/pool', port: 8000 },
            policies: { inferenceRouting: { endpointPicker: at }, backendAuth: { key: 'of-the-gateway' } },
          },
        ],
      },
    ],
  }
  return (
    anyPorts +
    Object.entries(sections)
      .map(([name, value]) => `${name}: ${JSON.stringify(value)}\n`)
      .join('')
  )
}

suite('inferenceRouting', () => {
  let daemon: Daemon
  let picker: Processor
  let one: EchoUpstream
  let two: EchoUpstream
  let outside: EchoUpstream
  const seen: PickedRequest[] = []
  const asked = (target: string, options: RequestParts = {}) =>
    sendRequest(daemon.url('default'), target, options)
  /** The picker chooses this, whatever the request. */
  const picks = (choice: Parameters<typeof picking>[0] extends (r: PickedRequest) => infer P ? P : never) => {
    picker.onStream = picking((request) => {
      seen.push(request)
      return choice
    })
  }
  before(async () => {
    picker = await startProcessor()
    one = await startEcho('one')
    two = await startEcho('two')
    outside = await startEcho('outside')
    daemon = await startDaemon(configuration({ picker: picker.host, one, two, outside }))
  })
  after(async () => {
    await daemon.stop('SIGKILL')
    for (const server of [picker, one, two, outside]) await server[Symbol.asyncDispose]()
  })
  beforeEach(async () => {
    await picker.idle()
    picker.received.length = 0
    seen.length = 0
    for (const echo of [one, two, outside]) {
      echo.asked.length = 0
      echo.status = 200
    }
  })

  test('sends each request to the endpoint that the picker names in a header', async () => {
    for (const [name, port] of [
      ['one', one.port],
      ['two', two.port],
      ['one', one.port],
    ] as const) {
      picks(`127.0.0.1:${port}`)
      assert.equal(echoed(await asked('/closed')).name, name)
    }
  })

  test('does the same by a policy that is attached to a service', async () => {
    for (const [name, host] of [
      ['two', two.host],
      ['one', one.host],
      ['two', two.host],
    ] as const) {
      picks(host)
      assert.equal(echoed(await asked('/attached')).name, name)
    }
  })

  test('shows the picker the whole request, and sends on the body that comes back', async () => {
    picks(two.host)
    const body = JSON.stringify({ model: 'm', prompt: 'x'.repeat(200_000) })
    const reply = echoed(
      await asked('/closed/v1/completions', { method: 'POST', headers: { 'x-session': 's' }, body }),
    )
    assert.deepEqual([reply.name, reply.body === body], ['two', true])
    const [request] = seen
    assert.deepEqual(
      [request?.headers[':path'], request?.headers['x-session'], request?.body === body, request?.subset],
      ['/closed/v1/completions', 's', true, undefined],
    )
  })

  test('takes headers that the picker repeats as they are', async () => {
    picks({
      response: {
        case: 'requestHeaders',
        value: {
          response: {
            headerMutation: {
              setHeaders: [
                { header: { key: DESTINATION, rawValue: Buffer.from(one.host) } },
                { header: { key: 'x-session', rawValue: Buffer.from('s') } },
                { header: { key: 'x-session', rawValue: Buffer.from('t') }, append: true },
              ],
            },
          },
        },
      },
    })
    const { headers } = echoed(await asked('/closed', { headers: { 'x-session': 's' } }))
    assert.equal(headers['x-session'], 's, t')
  })

  test('takes an endpoint that is named in metadata only', async () => {
    picks(metadataWith(two.host))
    assert.equal(echoed(await asked('/closed')).name, 'two')
  })

  test('tells the picker with the response which endpoint has served it', async () => {
    picks(`127.0.0.1:1,${one.host}`)
    assert.equal(echoed(await asked('/closed', { method: 'POST', body: 'hi' })).name, 'one')
    await picker.idle()
    const responses = picker.received.filter(({ request }) => request.case?.startsWith('response'))
    assert.ok(casesOf(responses).includes('responseHeaders') && casesOf(responses).includes('responseBody'))
    assert.deepEqual(
      responses.map(servedBy),
      responses.map(() => one.host),
    )
  })

  test('uses the next endpoint of the list where the first one has no connection', async () => {
    picks(`127.0.0.1:1, ${two.host}, ${one.host}`)
    assert.equal(echoed(await asked('/closed', { method: 'POST', body: 'hi' })).name, 'two')
    assert.equal(one.asked.length, 0)
  })

  test('never lets a client choose: its headers reach neither the picker nor the endpoint', async () => {
    picker.onStream = picking((request) => {
      seen.push(request)
      return { response: { case: 'requestHeaders', value: {} } }
    })
    const headers = {
      [DESTINATION]: outside.host,
      'x-gateway-destination-endpoint-subset': outside.host,
      'x-gateway-destination-endpoint-served': outside.host,
    }
    assert.equal((await asked('/closed', { headers })).status, 503)
    assert.equal((await asked('/any', { headers })).status, 503)
    assert.ok(['one', 'two'].includes(echoed(await asked('/open', { headers })).name))
    assert.equal((await asked('/shut', { headers })).status, 503)
    const shown = seen.flatMap((request) => Object.keys(request.headers))
    assert.deepEqual(
      shown.filter((name) => name.startsWith('x-gateway')),
      [],
    )
    picks(one.host)
    const forwarded = echoed(await asked('/closed', { headers })).headers
    assert.deepEqual(
      Object.keys(forwarded).filter((name) => name.startsWith('x-gateway')),
      [],
    )
    assert.equal(outside.asked.length, 0)
  })

  test('refuses an endpoint that the backend does not have, unless any may be chosen', async () => {
    picks(outside.host)
    const { status, text } = await asked('/open', { method: 'POST', body: 'hi' })
    assert.deepEqual(
      [status, text],
      [503, 'the endpoint picker chose an endpoint that the backend does not have'],
    )
    assert.equal(echoed(await asked('/any', { method: 'POST', body: 'hi' })).name, 'outside')
  })

  test('refuses what is no list of addresses', async () => {
    for (const choice of ['', 'model-server:8000', '127.0.0.1', `${one.host},`, '127.0.0.1:99999', 'ü:1']) {
      picks(choice)
      const { status, text } = await asked('/open')
      assert.deepEqual(
        [choice, status, text],
        [choice, 503, 'endpoint picker failed: its choice is not a list of addresses'],
      )
    }
  })

  test('passes on the refusal of the picker', async () => {
    picks({
      response: {
        case: 'immediateResponse',
        value: { status: { code: 429 }, body: Buffer.from('too busy') },
      },
    })
    const { status, text } = await asked('/open', { method: 'POST', body: 'hi' })
    assert.deepEqual([status, text], [429, 'too busy'])
    assert.equal(one.asked.length + two.asked.length, 0)
  })

  test('refuses requests without a picker, or lets the gateway choose', async () => {
    const { status, text } = await asked('/shut', { method: 'POST', body: 'hi' })
    assert.equal(status, 503)
    assert.match(text, /^endpoint picker failed: /)
    const reply = echoed(await asked('/shutopen', { method: 'POST', body: 'hi' }))
    assert.deepEqual([['one', 'two'].includes(reply.name), reply.body], [true, 'hi'])
  })

  test('does the same where the service of the picker has no endpoints', async () => {
    const { status, text } = await asked('/gone', { method: 'POST', body: 'hi' })
    assert.deepEqual([status, text], [503, 'endpoint picker failed: backend does not exist'])
    const reply = echoed(await asked('/goneopen', { method: 'POST', body: 'hi' }))
    assert.deepEqual([['one', 'two'].includes(reply.name), reply.body], [true, 'hi'])
  })

  test('sends the whole body to an endpoint of its own choice if the picker breaks off in the middle', async () => {
    const body = 'y'.repeat(300_000)
    picker.onStream = (stream) => {
      stream.on('data', ({ request }: { request: { case: string | undefined } }) => {
        if (request.case === 'requestBody') stream.emit('error', { code: 13, details: 'broken' })
      })
    }
    const reply = echoed(await asked('/open', { method: 'POST', body }))
    assert.deepEqual([['one', 'two'].includes(reply.name), reply.body === body], [true, true])
    assert.equal((await asked('/closed', { method: 'POST', body })).status, 503)
  })

  test('does not wait longer for a choice than the timeout of the picker', async () => {
    picker.onStream = (stream) => void stream.on('end', () => stream.end()).resume()
    const reply = echoed(await asked('/hasty', { method: 'POST', body: 'hi' }))
    assert.deepEqual([['one', 'two'].includes(reply.name), reply.body], [true, 'hi'])
  })

  test('asks again for a retry, and suggests the endpoints that have not been tried', async () => {
    one.status = 503
    picker.onStream = picking((request) => {
      seen.push(request)
      const [hint] = (request.subset as string[] | undefined) ?? []
      return hint !== undefined && hint !== '127.0.0.1:1' ? hint : one.host
    })
    const reply = echoed(await asked('/again', { method: 'POST', body: 'hi' }))
    assert.deepEqual([reply.name, reply.body, one.asked.length], ['two', 'hi', 1])
    assert.deepEqual(
      seen.map(({ subset, body }) => [subset, body]),
      [
        [undefined, 'hi'],
        [[two.host, '127.0.0.1:1'], 'hi'],
      ],
    )
  })

  test('does not show the picker the credentials of the backend', async () => {
    picks(one.host)
    const reply = echoed(await asked('/keyed'))
    assert.equal(reply.headers.authorization, 'Bearer of-the-gateway')
    assert.equal(seen[0]?.headers.authorization, undefined)
  })

  test('refuses requests to a backend without endpoints', async () => {
    picks(headWith(one.host))
    const { status, text } = await asked('/dynamic', { headers: { host: one.host } })
    assert.deepEqual(
      [status, text],
      [503, 'endpoint picker failed: inferenceRouting needs a backend with endpoints: a service or a host'],
    )
    assert.equal(one.asked.length, 0)
  })
})
