import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { sendRequest } from '../support/send-request.ts'
import { anyPorts, type Daemon, startDaemon } from '../support/daemon.ts'
import { type EchoUpstream, startEcho } from '../support/echo-upstream.ts'
import { type CountingService, startCounting } from '../support/rate-limit-service.ts'
import { httpServer, rawServer, type UpstreamServer } from '../support/upstream-servers.ts'

/** More than the 2 s of these policies' default timeout. */
const LATE_MS = 2_300

/** A policy's default timeout; the test has to take less. */
const USUAL_MS = 10_000

const limit =
  '{ domain: d, descriptors: [{ entries: [{ key: path, value: request.path }] }], backend: counter }'
const heads = 'processingOptions: { requestBodyMode: none, responseBodyMode: none }'
const clientAuth = '{ clientId: gateway, clientSecret: s3cr3t }'

const route = (name: string, policies: string, host: string, backend = ''): string => `
  - name: ${name}
    matches: [{ path: { exact: /${name} } }]
    policies: ${policies}
    backends: [{ host: "${host}"${backend} }]`

interface Places {
  readonly host: string
  readonly late: number
  readonly counter: string
  readonly silent: number
}

const configuration = ({ host, late, counter, silent }: Places): string => `${anyPorts}
gateways: { default: { port: 0, address: 127.0.0.1 }, models: { port: 0, address: 127.0.0.1 } }
backends:
  - { name: decider, host: "127.0.0.1:${late}", policies: { http: { requestTimeout: 60s } } }
  - { name: counter, host: "${counter}", policies: { http: { requestTimeout: 60s } } }
  - { name: silent, host: "127.0.0.1:${silent}", policies: { http: { requestTimeout: 100ms } } }
llm:
  gateways: models
  models: [{ name: small, provider: mock }]
  guardrails: { request: [{ webhook: { target: { backend: silent } } }] }
routes:
${route('decider', '{ extAuthz: { backend: decider, protocol: { http: {} } } }', host)}
${route('decider-of-the-policy', `{ extAuthz: { backend: silent, protocol: { http: {} }, policies: { http: { requestTimeout: 60s } } } }`, host)}
${route('counter', `{ remoteRateLimit: ${limit} }`, host)}
${route('processor', `{ extProc: { backend: silent, ${heads} } }`, host)}
${route('token', '{}', host, `, policies: { backendAuth: { clientCredentials: { backend: silent, path: /token, clientAuth: ${clientAuth} } } }`)}
`

suite('the timeout of a named backend applies to callouts', () => {
  let daemon: Daemon
  let upstream: EchoUpstream
  let late: UpstreamServer
  let silent: UpstreamServer
  let counter: CountingService
  before(async () => {
    upstream = await startEcho('upstream')
    late = await httpServer((_req, res) => void pause(LATE_MS).then(() => res.end()))
    silent = await rawServer((socket) => socket.resume())
    counter = await startCounting(3)
    counter.answer = async (counted) => {
      await pause(LATE_MS)
      return counted
    }
    const places = { host: upstream.host, late: late.port, counter: counter.host, silent: silent.port }
    daemon = await startDaemon(configuration(places))
  })
  after(async () => {
    await daemon.stop('SIGKILL')
    for (const server of [upstream, late, silent, counter]) await server[Symbol.asyncDispose]()
  })

  for (const name of ['decider', 'counter'])
    test(`a late response counts (${name})`, async () => {
      const { status, text } = await sendRequest(daemon.url('default'), `/${name}`)
      assert.equal(status, 200, text)
    })

  const quick: Readonly<Record<string, number>> = { processor: 500, token: 500 }
  for (const [name, expected] of Object.entries(quick))
    test(`a slow response times out early (${name})`, async () => {
      const startedAt = performance.now()
      const { status, text } = await sendRequest(daemon.url('default'), `/${name}`)
      assert.equal(status, expected, text)
      assert.ok(performance.now() - startedAt < USUAL_MS)
    })

  test('a slow response times out early (guard webhook)', async () => {
    const body = JSON.stringify({ model: 'small', messages: [{ role: 'user', content: 'hi' }] })
    const { status } = await sendRequest(daemon.url('models'), '/v1/chat/completions', {
      method: 'POST',
      body,
    })
    assert.equal(status, 503)
    await daemon.printed(/gave no answer within 100 ms/)
  })
})
