import assert from 'node:assert/strict'
import { after, before, beforeEach, suite, test } from 'node:test'
import { sendRequest } from '../support/send-request.ts'
import { anyPorts, type Daemon, startDaemon } from '../support/daemon.ts'
import { type EchoUpstream, startEcho } from '../support/echo-upstream.ts'
import { keySetOf, secondsFromNow, signer } from '../support/tokens.ts'

const idp = signer('k1')
const tokenOf = (sub: string): string =>
  idp.token({ iss: 'https://idp.test', sub, exp: secondsFromNow(3000) })

/** Ways to make a header of a claim, by route. */
const ways = (host: string): Readonly<Record<string, [policies: object, backendPolicies?: object]>> => ({
  set: [{ transformations: { request: { set: { 'x-user': 'jwt.sub' } } } }],
  add: [{ transformations: { request: { add: { 'x-user': 'jwt.sub' } } } }],
  replace: [{ transformations: { request: { replace: '{"x-user": jwt.sub}' } } }],
  bytes: [{ transformations: { request: { set: { 'x-user': 'bytes(jwt.sub)' } } } }],
  backend: [{}, { transformations: { request: { set: { 'x-user': 'jwt.sub' } } } }],
  decider: [
    {
      extAuthz: {
        host,
        failureMode: 'allow',
        protocol: { http: { addRequestHeaders: { 'x-user': 'jwt.sub' } } },
      },
    },
  ],
  'decider-changed': [
    {
      extAuthz: {
        host,
        failureMode: 'allow',
        protocol: { http: {} },
        policies: { transformations: { request: { set: { 'x-user': 'jwt.sub' } } } },
      },
    },
  ],
  direct: [{ directResponse: { status: 200, headers: { 'x-user': 'jwt.sub' } } }],
})

suite('a claim in a header', () => {
  let daemon: Daemon
  let upstream: EchoUpstream
  before(async () => {
    upstream = await startEcho('upstream')
    const jwtAuth = { mode: 'strict', issuer: 'https://idp.test', jwks: keySetOf(idp) }
    const routes = Object.entries(ways(upstream.host)).map(([name, [policies, backendPolicies]]) => ({
      name,
      gateways: 'default',
      matches: [{ path: { exact: `/${name}` } }],
      policies: { jwtAuth, ...policies },
      ...(name !== 'direct' && { backends: [{ host: upstream.host, policies: backendPolicies ?? {} }] }),
    }))
    const headers = { 'x-user': 'jwt.sub' }
    daemon = await startDaemon(`${anyPorts}
gateways: { default: { port: 0, address: 127.0.0.1 }, models: { port: 0, address: 127.0.0.1 } }
routes: ${JSON.stringify(routes)}
llm:
  gateways: models
  policies: ${JSON.stringify({ jwtAuth })}
  models: [{ name: small, provider: mock }]
  guardrails: { request: [{ webhook: ${JSON.stringify({ target: { host: upstream.host }, headers, failureMode: 'failOpen' })} }] }
`)
  })
  after(async () => {
    await daemon.stop('SIGKILL')
    await upstream[Symbol.asyncDispose]()
  })
  beforeEach(() => {
    upstream.asked.length = 0
  })

  const asked = (gateway: string, target: string, sub: string, body?: string) =>
    sendRequest(daemon.url(gateway), target, {
      ...(body !== undefined && { method: 'POST', body }),
      headers: { authorization: `Bearer ${tokenOf(sub)}` },
    })

  for (const name of Object.keys(ways('')))
    for (const sub of ['ann\r\nx-role: admin', 'ann\u0000', '\u0001', 'ann\n', '\u007fann'])
      test(`is refused with 400 before any call by ${name}: ${JSON.stringify(sub)}`, async () => {
        const { status, text, headers } = await asked('default', `/${name}`, sub)
        assert.equal(status, 400, text)
        assert.match(text, /the value for the header x-user has characters that no header can carry/)
        assert.equal(headers['x-user'], undefined)
        assert.equal(upstream.asked.length, 0)
      })

  test('can contain letters beyond ASCII', async () => {
    const { status } = await asked('default', '/set', 'Jürgen Łęcki')
    assert.equal(status, 200)
    const [{ headers } = assert.fail()] = upstream.asked
    assert.equal(Buffer.from(String(headers['x-user']), 'latin1').toString(), 'Jürgen Łęcki')
  })

  test('is refused by a guard that fails open as well', async () => {
    const body = JSON.stringify({ model: 'small', messages: [{ role: 'user', content: 'hi' }] })
    const { status, text } = await asked('models', '/v1/chat/completions', 'ann\n', body)
    assert.equal(status, 400, text)
    assert.match(text, /x-user/)
    assert.equal(upstream.asked.length, 0)
  })
})
