import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { connect } from 'node:http2'
import { after, before, suite, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { text } from 'node:stream/consumers'
import { sendRequest, type RequestParts } from '../support/send-request.ts'
import { anyPorts, type Daemon, startDaemon } from '../support/daemon.ts'
import { httpServer, type UpstreamServer } from '../support/upstream-servers.ts'

const route = (name: string, policies: string, host: string, backend = ''): string => `
  - name: ${name}
    matches: [{ path: { pathPrefix: /${name} } }]
    policies: ${policies}
    backends: [{ host: "${host}"${backend} }]`

const configuration = (host: string): string => `${anyPorts}
frontendPolicies: { http: { maxBufferSize: 4096 } }
gateways:
  default: { port: 0, address: 127.0.0.1 }
routes:
${route('agent', '{ a2a: {}, urlRewrite: { path: { prefix: / } } }', host)}
${route('inner', '{ urlRewrite: { path: { prefix: / } } }', host, ', policies: { a2a: {} }')}
${route('plain', '{ urlRewrite: { path: { prefix: / } } }', host)}
${route('limited', '{ a2a: {}, localRateLimit: [{ maxTokens: 1, tokensPerFill: 1, fillInterval: 1h }] }', host)}
${route('dead', '{ a2a: {} }', '127.0.0.1:1')}
${route('inner-dead', '{}', '127.0.0.1:1', ', policies: { a2a: {} }')}
  - name: grouped
    matches: [{ path: { pathPrefix: /grouped } }]
    policies: { a2a: {} }
    backends: [{ routeGroup: agents }]
${route('again', '{ a2a: {}, retry: { attempts: 1, codes: [503] }, urlRewrite: { path: { prefix: / } } }', host)}
routeGroups:
  - name: agents
    routes:
      - name: agent
        matches: [{ path: { pathPrefix: /grouped } }]
        policies: { urlRewrite: { path: { prefix: / } } }
        backends: [{ host: "${host}" }]
`

const card = (base: string): object => ({
  name: 'Ann',
  url: base,
  supportedInterfaces: [{ url: base, protocolBinding: 'JSONRPC' }],
})
const call = (method: string, id: unknown = 'one'): RequestParts => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ jsonrpc: '2.0', id, method, params: {} }),
})

suite('an A2A agent', () => {
  let agent: UpstreamServer
  let daemon: Daemon
  let stream: ServerResponse | undefined
  let attempts = 0
  const asked: string[] = []

  before(async () => {
    agent = await httpServer((req, res) => {
      const compressed = req.url === '/zip/.well-known/agent-card.json'
      if (req.url?.endsWith('.json')) {
        const body = Buffer.from(JSON.stringify(card('http://agent.internal/')))
        res.setHeader('content-type', 'application/json')
        res.setHeader('etag', '"theirs"')
        if (compressed) res.setHeader('content-encoding', 'gzip').end(gzipSync(body))
        else if (req.url.startsWith('/long')) res.end(Buffer.concat([body, Buffer.alloc(5000, ' ')]))
        else res.end(body)
        return
      }
      void text(req).then((body) => {
        asked.push(body)
        const { id, method } = JSON.parse(body) as { id: unknown; method: string }
        const say = (outcome: object) =>
          res
            .setHeader('content-type', 'application/json')
            .end(`{ "jsonrpc": "2.0", "id": ${JSON.stringify(id)}, ${JSON.stringify(outcome).slice(1)}`)
        if (method === 'message/stream') {
          stream = res
          res.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
        } else if (method === 'flaky' && ++attempts === 1) res.writeHead(503).end()
        else if (method === 'unknown') say({ error: { code: -32601, message: 'no such method' } })
        else
          say({ result: { task: { id: 't', contextId: 'c-1', status: { state: 'TASK_STATE_COMPLETED' } } } })
      })
    })
    daemon = await startDaemon(configuration(`127.0.0.1:${agent.port}`))
  })
  after(async () => {
    // Disposed first: a daemon that did not start must not keep the test from ending.
    await agent[Symbol.asyncDispose]()
    await daemon[Symbol.asyncDispose]()
  })
  const send = (target: string, what: RequestParts = {}) => sendRequest(daemon.url('default'), target, what)
  const base = (): string => daemon.url('default').replace(/\/$/, '')

  for (const [name, where] of Object.entries({
    agent: 'route',
    inner: 'backend',
    grouped: 'route to a group',
  }))
    test(`has its card rewritten to the address of the gateway, with the policy on the ${where}`, async () => {
      for (const file of ['agent.json', 'agent-card.json']) {
        const answer = await send(`/${name}/sub/.well-known/${file}`, {
          headers: { 'accept-encoding': 'gzip' },
        })
        const home = `${base()}/${name}/sub`
        assert.deepEqual(JSON.parse(answer.text), card(home))
        assert.deepEqual(
          [answer.status, answer.headers['content-length'], answer.headers.etag],
          [200, String(answer.text.length), undefined],
        )
      }
    })

  test('keeps its card unchanged without the policy', async () => {
    const { text: body, headers } = await send('/plain/.well-known/agent.json')
    assert.deepEqual([JSON.parse(body), headers.etag], [card('http://agent.internal/'), '"theirs"'])
  })

  test('fails with 502 if its card cannot be parsed', async () => {
    for (const what of ['zip', 'long']) {
      const { status, text: body } = await send(`/agent/${what}/.well-known/agent-card.json`)
      assert.equal(status, 502)
      assert.match(body, /^the agent card cannot be read: it /)
    }
  })

  test('gets requests and sends responses unchanged', async () => {
    const without = await send('/plain', call('message/send'))
    asked.length = 0
    for (const name of ['agent', 'inner', 'grouped'])
      assert.equal((await send(`/${name}`, call('message/send'))).text, without.text)
    assert.deepEqual(asked, Array(3).fill(call('message/send').body))
  })

  test('is recorded if the request arrives in pieces', async () => {
    const { body } = call('pieces')
    const session = connect(daemon.url('default'))
    const stream = session.request({
      ':method': 'POST',
      ':path': '/agent',
      'content-type': 'application/json',
    })
    stream.write(String(body).slice(0, 10))
    stream.end(String(body).slice(10))
    assert.match(await text(stream), /TASK_STATE_COMPLETED/)
    session.close()
    await daemon.printed(/a2a\.method=pieces a2a\.response\.outcome=success/)
  })

  for (const name of ['agent', 'inner'])
    test(`is recorded in logs and metrics: ${name}`, async () => {
      await send(`/${name}`, call(`SendMessage-${name}`))
      const [line] = await daemon.printed(new RegExp(`request .* a2a\\.method=SendMessage-${name}.*`))
      assert.match(
        line,
        /protocol=a2a a2a\.method=SendMessage-\w+ a2a\.response\.outcome=success a2a\.result\.kind=task a2a\.task\.state=TASK_STATE_COMPLETED a2a\.context\.id=c-1 reason=Upstream/,
      )
      const metrics = await (await fetch(`${daemon.url('stats')}/metrics`)).text()
      assert.match(
        metrics,
        new RegExp(`requests_total\\{.*protocol="a2a",method="POST",status="200".*route="default/${name}"`),
      )
    })

  test('is recorded with its JSON-RPC error code', async () => {
    const { status } = await send('/agent', call('unknown'))
    assert.equal(status, 200)
    await daemon.printed(
      /a2a\.method=unknown a2a\.response\.outcome=error a2a\.response\.error_code=-32601 reason=Upstream/,
    )
  })

  test('streams event by event', async () => {
    const response = await fetch(`${base()}/agent`, call('message/stream') as RequestInit)
    const reader = (response.body as ReadableStream<Uint8Array>).getReader()
    /** Reads a text that may arrive in pieces, and nothing more. */
    const receives = async (text: string) => {
      let received = ''
      while (received.length < text.length)
        received += Buffer.from((await reader.read()).value ?? assert.fail(received)).toString()
      assert.equal(received, text)
    }
    const event = (state: string) =>
      `data: {"jsonrpc":"2.0","id":"one","result":{"statusUpdate":{"contextId":"c-2","status":{"state":"${state}"}}}}\n\n`
    stream?.write(event('TASK_STATE_WORKING'))
    await receives(event('TASK_STATE_WORKING'))
    stream?.end(event('TASK_STATE_FAILED'))
    await receives(event('TASK_STATE_FAILED'))
    assert.equal((await reader.read()).done, true)
    await daemon.printed(
      /a2a\.method=message\/stream a2a\.response\.outcome=success a2a\.result\.kind=status-update a2a\.task\.state=TASK_STATE_FAILED a2a\.context\.id=c-2/,
    )
  })

  test('is recorded with the last seen state if the client leaves', async () => {
    const leave = new AbortController()
    const response = await fetch(`${base()}/agent`, {
      ...(call('message/stream', 7) as RequestInit),
      signal: leave.signal,
    })
    const reader = (response.body as ReadableStream<Uint8Array>).getReader()
    stream?.write(
      'data: {"id":7,"result":{"kind":"task","contextId":"c-3","status":{"state":"working"}}}\n\n',
    )
    await reader.read()
    const gone = stream && once(stream, 'close')
    leave.abort()
    await gone
    await daemon.printed(/a2a\.task\.state=working a2a\.context\.id=c-3 error="client left"/)
  })

  const failing: readonly (readonly [
    what: string,
    target: string,
    status: number,
    code: number,
    message: RegExp,
  ])[] = [
    ['a limit', '/limited', 429, -32600, /^rate limit exceeded$/],
    ['a dead agent', '/dead', 503, -32603, /^upstream call failed: /],
    ['a dead agent, with the policy on the backend', '/inner-dead', 503, -32603, /^upstream call failed: /],
  ]
  for (const [what, target, status, code, message] of failing)
    test(`is replaced by a JSON-RPC error for ${what}`, async () => {
      if (status === 429) await send(target, call('message/send'))
      for (const id of ['two', 12, '']) {
        const answer = await send(target, call('message/send', id))
        const { error, ...rest } = JSON.parse(answer.text) as { error: { code: number; message: string } }
        assert.deepEqual(
          [answer.status, answer.headers['content-type'], rest],
          [status, 'application/json', { jsonrpc: '2.0', id }],
        )
        assert.equal(error.code, code)
        assert.match(error.message, message)
      }
    })

  test('is replaced by errors with the id as written, or null without one', async () => {
    const ids = ['9007199254740993', '{"a":1}', 'null'].map(async (id) => {
      const body = `{"id":${id},"method":"m"}`
      return (await send('/dead', { ...call(''), body })).text.slice(0, 38)
    })
    assert.deepEqual(await Promise.all(ids), [
      '{"jsonrpc":"2.0","id":9007199254740993',
      '{"jsonrpc":"2.0","id":null,"error":{"c',
      '{"jsonrpc":"2.0","id":null,"error":{"c',
    ])
  })

  test('is replaced by text errors for requests without JSON-RPC', async () => {
    for (const what of [{}, { method: 'POST', body: '{}' }, { method: 'POST', body: 'hello' }])
      assert.match((await send('/dead', what)).text, /^upstream call failed/)
  })

  test('is replaced by JSON-RPC errors over HTTP/2 as well', async () => {
    const session = connect(daemon.url('default'))
    const stream = session.request({
      ':method': 'POST',
      ':path': '/dead',
      'content-type': 'application/json',
    })
    stream.end(call('message/send').body)
    const body = await text(stream)
    session.close()
    assert.match(body, /^\{"jsonrpc":"2.0","id":"one","error":\{"code":-32603,/)
  })

  test('is retried', async () => {
    const { status } = await send('/again', call('flaky'))
    assert.deepEqual([status, attempts], [200, 2])
    await daemon.printed(/a2a\.method=flaky a2a\.response\.outcome=success .* retry\.attempt=1/)
  })

  test('appears in traces', async () => {
    const response = await fetch(`${daemon.url('admin')}/debug/trace?count=1`)
    const reader = (response.body as ReadableStream<Uint8Array>).getReader()
    await send('/agent', call('message/send'))
    let seen = ''
    while (!seen.includes('requestFinished'))
      seen += Buffer.from((await reader.read()).value ?? []).toString()
    await reader.cancel()
    assert.match(seen, /"kind":"a2a","result":\{"type":"apply","details":"heard a call of message\/send"/)
    assert.match(
      seen,
      /"kind":"a2a","details":\{"outcome":"success","kind":"task","taskState":"TASK_STATE_COMPLETED","contextId":"c-1"\}/,
    )
  })
})
