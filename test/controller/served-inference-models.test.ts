import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, beforeEach, suite, test } from 'node:test'
import { WebSocket, WebSocketServer } from 'ws'
import { makeAuthority } from '../support/certificates.ts'
import { type PickedRequest, picking } from '../support/endpoint-picker.ts'
import { freePort } from '../support/free-port.ts'
import { chunk, ending } from '../support/llm/completions-stream.ts'
import {
  jsonOf,
  type RecordingProvider,
  startProvider,
  streamResponse,
} from '../support/llm/recording-provider.ts'
import type { Processor } from '../support/processor.ts'
import { podsOfPools, pooled, startPicker } from './support/inference-pools.ts'
import { modelCluster, serveModels, startNamedProvider } from './support/served-models.ts'

/*
 * Language models that InferencePools serve: providers of ProxyBackends, and ProxyModels, sent over xDS to a gateway in its
 * own process. The picker is a server of gRPC, and the model servers are those of HTTP, on ports of one pod.
 */

const poolRef = (name: string): string =>
  `backendRef: { group: inference.networking.k8s.io, kind: InferencePool, name: ${name} }`

const ofPool = (pool: string): string =>
  `provider: Custom, custom: { formats: [{ type: Completions }], ${poolRef(pool)} }`

const model = (name: string, fields: string): string => `---
kind: ProxyModel
metadata: { namespace: shop, name: ${name} }
spec: { parentRefs: [{ name: web }], ${fields} }
`

/** A ProxyBackend behind the path of its name. */
const backend = (name: string, ai: string): string => `---
kind: HTTPRoute
metadata: { namespace: shop, name: ${name} }
spec:
  parentRefs: [{ name: web }]
  rules:
    - matches: [{ path: { type: PathPrefix, value: /${name} } }]
      filters: [{ type: URLRewrite, urlRewrite: { path: { type: ReplacePrefixMatch, replacePrefixMatch: / } } }]
      backendRefs: [{ group: agentgateway.dev, kind: ProxyBackend, name: ${name} }]
---
kind: ProxyBackend
metadata: { namespace: shop, name: ${name} }
spec: { ai: ${ai} }
`

/** A server of WebSockets that sends messages back. */
const startSpeaking = async (stack: AsyncDisposableStack): Promise<number> => {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  server.on('connection', (socket) => socket.on('message', (data: Buffer) => socket.send(data)))
  await once(server, 'listening')
  stack.defer(() => server.close())
  return (server.address() as AddressInfo).port
}

type NamedProvider = Awaited<ReturnType<typeof startNamedProvider>>

suite('language models in InferencePools', { concurrency: false }, () => {
  const stack = new AsyncDisposableStack()
  const cleanups: (() => Promise<void>)[] = []
  let picker: Processor
  let speaking: number
  let red: NamedProvider
  let blue: NamedProvider
  let hosted: NamedProvider
  let streams: RecordingProvider
  let served: Awaited<ReturnType<typeof serveModels>>
  /** What the picker has seen. */
  const seen: PickedRequest[] = []
  const picks = (choose: (request: PickedRequest) => ReturnType<Parameters<typeof picking>[0]>): void => {
    picker.onStream = picking((picked) => {
      seen.push(picked)
      return choose(picked)
    })
  }

  before(async () => {
    picker = stack.use(await startPicker(stack.use(makeAuthority()).issue('picker.example')))
    red = stack.use(await startNamedProvider('red'))
    blue = stack.use(await startNamedProvider('blue'))
    hosted = stack.use(await startNamedProvider('hosted'))
    streams = stack.use(await startProvider(streamResponse(chunk('in ') + chunk('parts') + ending())))
    speaking = await startSpeaking(stack)
    const port = await freePort()
    const ports = [red.port, blue.port, streams.port]
    const withPicker = { ports, pickerPort: picker.port }
    const withoutPicker = { ports: [red.port], pickerPort: 1 }
    const completions = 'formats: [{ type: Completions }]'
    const fallback = `{ name: hosted, custom: { ${completions}, backendRef: { name: hosted, port: 8000 } } }`
    const then = (pool: string) =>
      `{ groups: [{ providers: [{ name: own, custom: { ${completions}, ${poolRef(pool)} } }] }, { providers: [${fallback}] }] }`
    const objects = [
      modelCluster(port, { hosted }),
      podsOfPools,
      pooled('llama', withPicker),
      pooled('shut', withoutPicker),
      pooled('open', { ...withoutPicker, failureMode: 'FailOpen' }),
      pooled('guarded', withPicker),
      `---
kind: ProxyPolicy
metadata: { namespace: shop, name: guarded }
spec:
  targetRefs: [{ group: inference.networking.k8s.io, kind: InferencePool, name: guarded }]
  traffic: { authorization: { policy: { matchExpressions: ['request.headers["x-team"] == "red"'] } } }
---
kind: Secret
metadata: { namespace: shop, name: key }
stringData: { Authorization: Bearer sk-of-the-gateway }
`,
      model(
        'llama',
        `match: { model: 'llama-*' }, ${ofPool('llama')}, policies: { auth: { secretRef: { name: key } } }`,
      ),
      model('shut', ofPool('shut')),
      model('open', ofPool('open')),
      model('none', ofPool('none')),
      model('guarded', ofPool('guarded')),
      model('spoken', `provider: Custom, custom: { formats: [{ type: Realtime }], ${poolRef('spoken')} }`),
      pooled('spoken', { ports: [red.port, speaking], pickerPort: picker.port }),
      backend('only', `{ provider: { custom: { ${completions}, ${poolRef('llama')} } } }`),
      backend('first', then('llama')),
      backend('dead', then('shut')),
      backend('missing', then('none')),
    ]
    served = await serveModels(
      { after: (end) => cleanups.push(end as () => Promise<void>) },
      port,
      objects.join('\n'),
    )
  })
  after(async () => {
    for (const end of cleanups) await end()
    await stack.disposeAsync()
  })
  beforeEach(() => {
    seen.length = 0
    for (const provider of [red, blue, hosted, streams]) provider.calls.length = 0
    red.isDown = false
  })

  const post = async (path: string, body: object): Promise<Response> =>
    fetch(`${served.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  const messages = [{ role: 'user', content: 'Hello' }]

  test('are served by the endpoint that the picker chooses for each request', async () => {
    picks(({ body }) => (body.includes('llama-1') ? red : blue).host)
    assert.equal(await served.ask('llama-1'), '200 red llama-1')
    assert.equal(await served.ask('llama-2'), '200 blue llama-2')
    assert.equal(await served.ask('any', { path: '/only' }), '200 blue any')
  })

  test('have a picker that sees the request of the provider, without its key', async () => {
    picks(() => red.host)
    const reply = await post('/v1/messages', { model: 'llama-3', max_tokens: 9, messages })
    assert.equal(((await reply.json()) as { type: string }).type, 'message')
    const [request] = seen
    assert.deepEqual(
      [request?.headers[':path'], request?.headers.authorization, JSON.parse(request?.body ?? '{}')],
      ['/v1/chat/completions', undefined, jsonOf(red.calls[0] ?? assert.fail())],
    )
    assert.equal(red.calls[0]?.headers.authorization, 'Bearer sk-of-the-gateway')
  })

  test('stream, also in another format', async () => {
    picks(() => streams.host)
    const same = await post('/v1/chat/completions', { model: 'llama-3', stream: true, messages })
    assert.match(await same.text(), /"in "[^]*"parts"[^]*\[DONE\]/)
    const other = await post('/v1/messages', { model: 'llama-3', max_tokens: 9, stream: true, messages })
    assert.match(await other.text(), /text_delta[^]*"in "[^]*"parts"[^]*message_stop/)
  })

  test('fail without a picker, in the format of the client, or are served by any endpoint', async () => {
    assert.match(await served.ask('shut'), /^503 /)
    const reply = await post('/v1/messages', { model: 'shut', max_tokens: 9, messages })
    const { type, error } = (await reply.json()) as { type: string; error: { message: string } }
    assert.deepEqual([reply.status, type], [503, 'error'])
    assert.match(error.message, /^endpoint picker failed: /)
    assert.equal(await served.ask('open'), '200 red open')
  })

  test('fail where there is no such pool', async () => {
    assert.match(await served.ask('none'), /^50[0-9] /)
  })

  test('have the policies of their pool', async () => {
    picks(() => red.host)
    assert.equal(await served.ask('guarded', { headers: { 'x-team': 'red' } }), '200 red guarded')
    assert.match(await served.ask('guarded'), /^403 /)
    assert.equal(red.calls.length, 1)
  })

  test('give way to the next group where picker, pool or endpoint fail', async () => {
    picks(() => red.host)
    assert.equal(await served.ask('m', { path: '/first' }), '200 red m')
    red.isDown = true
    assert.equal(await served.ask('m', { path: '/first' }), '200 hosted m')
    assert.equal(await served.ask('m', { path: '/dead' }), '200 hosted m')
    assert.equal(await served.ask('m', { path: '/missing' }), '200 hosted m')
  })

  test('give way to the next group where the picker refuses, or chooses what is not in the pool', async () => {
    picks(() => hosted.host)
    assert.equal(await served.ask('m', { path: '/first' }), '200 hosted m')
    picks(() => ({
      response: { case: 'immediateResponse', value: { status: { code: 429 }, body: Buffer.from('busy') } },
    }))
    assert.equal(await served.ask('m', { path: '/first' }), '200 hosted m')
    assert.match(await served.ask('llama-1'), /^429 /)
    assert.equal(red.calls.length + blue.calls.length, 0)
  })

  test('keep credentials of clients from the picker, with a key of their own and without', async () => {
    picks(() => red.host)
    for (const model of ['llama-1', 'guarded']) {
      const headers = { authorization: 'Bearer of-the-client', 'x-api-key': 'of-the-client', 'x-team': 'red' }
      assert.equal(await served.ask(model, { headers }), `200 red ${model}`)
    }
    assert.doesNotMatch(JSON.stringify(seen), /of-the-client|sk-of-the-gateway/)
  })

  test('get what the picker makes of the request', async () => {
    picker.onStream = picking(
      () => red.host,
      (body) => body.replace('llama-1', 'llama-adapter'),
    )
    assert.equal(await served.ask('llama-1'), '200 red llama-adapter')
  })

  test('give the next group the whole prompt, where the picker breaks off in the middle of it', async () => {
    picker.onStream = (stream) => {
      stream.on('data', ({ request }: { request: { case: string | undefined } }) => {
        if (request.case === 'requestBody') stream.emit('error', { code: 13, details: 'broken' })
      })
    }
    const content = 'y'.repeat(1_000_000)
    const reply = await post('/first/v1/chat/completions', {
      model: 'm',
      messages: [{ role: 'user', content }],
    })
    assert.equal(reply.status, 200)
    assert.deepEqual(jsonOf(hosted.calls[0] ?? assert.fail()).messages, [{ role: 'user', content }])
  })

  test('end the stream to the picker when the client leaves', async () => {
    streams.answer = (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(chunk('in '))
    }
    picks(() => streams.host)
    const client = request(`${served.url}/v1/chat/completions`, { method: 'POST' })
    client.end(JSON.stringify({ model: 'llama-1', stream: true, messages }))
    const [reply] = (await once(client, 'response')) as [IncomingMessage]
    await once(reply, 'data')
    assert.equal(picker.counts.open, 1)
    reply.once('error', () => undefined)
    client.socket?.resetAndDestroy()
    await picker.idle()
  })

  test('speak in realtime', async () => {
    picks(() => `127.0.0.1:${speaking}`)
    const socket = new WebSocket(`${served.url.replace('http', 'ws')}/v1/realtime?model=spoken`)
    await once(socket, 'open')
    socket.send('hello')
    const [data] = (await once(socket, 'message')) as [Buffer]
    assert.equal(data.toString(), 'hello')
    socket.close()
    await once(socket, 'close')
    await picker.idle()
    assert.deepEqual(
      seen.map(({ headers }) => headers[':path']),
      ['/v1/realtime?model=spoken'],
    )
  })
})
