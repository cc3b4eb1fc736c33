import assert from 'node:assert/strict'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { test } from 'node:test'
import { sendRequest } from '../../support/send-request.ts'
import { anyPorts, startDaemon } from '../../support/daemon.ts'
import { listening } from '../../support/upstream-servers.ts'

const CONFIG = (port: number) => `${anyPorts}
gateways: { default: { port: 0 } }
llm:
  models: [{ name: small, provider: mock, defaults: { temperature: 0.5 } }]
  guardrails:
    request:
      - webhook:
          target: { host: '127.0.0.1:${port}' }
          headers: &headers
            ':path': '"/v1/" + string(request.headers["x-team"])'
            x-model: llmRequest.model
            x-default: llmRequest.temperature
            x-sub: jwt.sub
            x-agent: request.headers["x-agent"]
          forwardHeaderMatches: [{ name: x-team, value: { regex: 'b.*' } }]
    response:
      - webhook: { target: { backend: hook }, headers: *headers }
backends: [{ name: hook, host: '127.0.0.1:${port}' }]
`

test('webhook guards', async (t) => {
  const asked: { url: string | undefined; headers: IncomingHttpHeaders }[] = []
  await using hook = await listening(
    createServer({ keepAliveTimeout: 60_000 }, (req, res) => {
      asked.push({ url: req.url, headers: req.headers })
      req.resume().on('end', () => res.end('{"action":{}}'))
    }),
  )
  await using daemon = await startDaemon(CONFIG(hook.port), {
    env: { GUARDRAIL_WEBHOOK_MAX_CONNECTIONS: '2' },
  })
  const say = (headers: Readonly<Record<string, string>>) =>
    sendRequest(daemon.url('default'), '/v1/chat/completions', {
      method: 'POST',
      headers,
      body: JSON.stringify({ model: 'small', messages: [{ role: 'user', content: 'hi' }] }),
    })

  await t.test('receive attributes of the request as the client sent it', async () => {
    const answer = await say({ 'x-team': 'blue', 'x-agent': 'a1', traceparent: TRACE })
    assert.equal(answer.status, 200, answer.text)
    const shown = asked.map(({ url, headers: it }) => [
      ...[url, it['x-model'], it['x-default'], it['x-sub'], it['x-agent'], it['x-team'], it.traceparent],
    ])
    assert.deepEqual(shown, [
      ['/v1/blue', 'small', undefined, undefined, 'a1', 'blue', undefined],
      ['/v1/blue', undefined, undefined, undefined, 'a1', undefined, TRACE],
    ])
  })

  await t.test('share a connection limit for each target', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => say({ 'x-team': 'blue' })))
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
    assert.equal(hook.opened(), 2)
  })

  await t.test('use the default path if the path expression fails', async () => {
    asked.length = 0
    await say({})
    assert.deepEqual(
      asked.map(({ url }) => url),
      ['/request', '/response'],
    )
  })

  await t.test('record call durations', async () => {
    const { text } = await sendRequest(daemon.url('stats'), '/metrics')
    assert.match(text, /upstream_call_duration\S*\{[^}]*Guardrail/)
  })
})

test('an invalid setting for webhooks fails the start', async () => {
  await assert.rejects(
    startDaemon(`${anyPorts}gateways: { default: { port: 0 } }`, {
      env: { GUARDRAIL_WEBHOOK_MAX_CONNECTIONS: 'all' },
    }),
    /GUARDRAIL_WEBHOOK_MAX_CONNECTIONS/,
  )
})

const TRACE = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
