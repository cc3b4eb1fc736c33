import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type IncomingMessage, request } from 'node:http'
import { once } from 'node:events'
import { after, before, suite, test } from 'node:test'
import { type ReceivedResponse, sendRequest } from '../../support/send-request.ts'
import { anyPorts, type Daemon, startDaemon } from '../../support/daemon.ts'
import { callModel, clientFormats, complete, completions } from '../../support/llm/client-formats.ts'
import { type RecordingProvider, startProvider } from '../../support/llm/recording-provider.ts'

const folder = mkdtempSync(join(tmpdir(), 'gateway-keys-'))
const file = join(folder, 'key')

const configuration = (host: string) => `${anyPorts}
  logging: { level: trace }
gateways:
  default: { address: 127.0.0.1, port: 0 }
frontendPolicies:
  accessLog: { add: { headers: toJson(request.headers), user_key: toJson(apiKey) } }
llm:
  policies:
    apiKey: { mode: optional, keys: [{ key: secret-of-user, metadata: { team: red } }] }
  models:
    - { name: inline, provider: openAI, params: { hostOverride: "${host}", apiKey: secret-inline } }
    - { name: environment, provider: anthropic, params: { hostOverride: "${host}", apiKey: "$LLM_KEY" } }
    - { name: filed, provider: gemini, params: { hostOverride: "${host}", apiKey: { file: "${file}" } } }
    - { name: placed, provider: openAI, params: { hostOverride: "${host}" }, auth: { key: { value: secret-placed, location: { queryParameter: { name: key } } } } }
    - { name: nowhere, provider: openAI, params: { hostOverride: "127.0.0.1:9", apiKey: secret-nowhere } }
`

/** Keys of the client and keys of the gateway. */
const headers = {
  authorization: 'Bearer secret-of-user',
  'x-api-key': 'secret-of-client',
  'x-goog-api-key': 'secret-of-client',
  'api-key': 'secret-of-client',
  cookie: 'session=secret-of-client',
}

suite('keys are not exposed', () => {
  let daemon: Daemon
  let origin: string
  let provider: RecordingProvider
  before(async () => {
    writeFileSync(file, 'secret-filed\n')
    provider = await startProvider()
    daemon = await startDaemon(configuration(provider.host), { env: { LLM_KEY: 'secret-environment' } })
    origin = daemon.url('default')
  })
  after(async () => {
    await daemon[Symbol.asyncDispose]()
    await provider[Symbol.asyncDispose]()
    rmSync(folder, { recursive: true })
  })

  const asked = async (): Promise<ReceivedResponse[]> => {
    const answers: ReceivedResponse[] = []
    for (const model of ['inline', 'environment', 'filed', 'placed', 'nowhere', 'unknown'])
      for (const format of clientFormats)
        answers.push(await callModel(origin, format, model, { headers, query: '?key=secret-of-client' }))
    provider.answer = { status: 500, body: 'broken' }
    for (const model of ['inline', 'environment', 'filed', 'placed'])
      answers.push(
        await complete(origin, model, { headers }),
        await complete(origin, model, { headers, fields: { stream: true } }),
      )
    answers.push(await callModel(origin, completions, '', { headers, body: '{' }))
    return answers
  }

  const assertNone = (where: string, text: string) => {
    const at = text.indexOf('secret-')
    assert.equal(at, -1, `${where}: …${text.slice(Math.max(0, at - 200), at + 100)}…`)
  }

  test('in traces with bodies, logs, replies, dumps or metrics', async () => {
    const { hostname, port } = new URL(daemon.url('admin'))
    const watching = request({
      hostname,
      port,
      path: '/debug/trace?follow=true&bodies=true',
      agent: false,
    }).end()
    const [stream] = (await once(watching, 'response')) as [IncomingMessage]
    let trace = ''
    let wake = (): void => undefined
    stream.setEncoding('utf8').on('data', (text: string) => {
      trace += text
      wake()
    })
    const answers = await asked()
    await sendRequest(origin, '/v1/models/the-last-one', { headers })
    while (!trace.includes('the-last-one'))
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    await daemon.printed(/http\.path=\/v1\/models\/the-last-one/)
    watching.destroy()

    // The provider received all of them.
    const sent = provider.calls.map(({ path, rawHeaders }) => [path, ...rawHeaders].join(' ')).join('\n')
    for (const key of ['inline', 'environment', 'filed', 'placed'])
      assert.ok(sent.includes(`secret-${key}`), key)
    assert.ok(!sent.includes('secret-of'))

    assert.ok(trace.includes('inline') && trace.length > 10_000)
    const bodies = [...trace.matchAll(/"body":"([^"]*)"/g)].map(([, body = '']) =>
      Buffer.from(body, 'base64').toString(),
    )
    assert.ok(bodies.some((body) => body.includes('Hello.')))
    assertNone('trace', trace + bodies.join('\n'))
    assertNone('log', daemon.output())
    for (const { text, headers: said } of answers) assertNone('answer', text + JSON.stringify(said))
    for (const [base, path] of [
      ['admin', '/config_dump'],
      ['stats', '/metrics'],
      ['stats', '/stats/prometheus'],
    ] as const)
      assertNone(path, (await sendRequest(daemon.url(base), path)).text)
  })

  test('by an invalid new configuration', async () => {
    daemon.rewrite(
      configuration(provider.host).replace('provider: openAI, params', 'provider: nobody, params'),
    )
    await daemon.printed(/nobody/)
    assertNone('log', daemon.output())
  })
})
