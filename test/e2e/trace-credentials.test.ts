import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sendRequest } from '../support/send-request.ts'
import { anyPorts, startDaemon } from '../support/daemon.ts'
import { startEcho } from '../support/echo-upstream.ts'
import { keySetOf, signer } from '../support/tokens.ts'
import { httpServer } from '../support/upstream-servers.ts'

test('traces show no credentials, even if a stage before authentication delays the request', async () => {
  await using upstream = await startEcho('upstream')
  const told = Promise.withResolvers<undefined>()
  // Responds once the trace has shown the beginning of the request.
  await using decider = await httpServer((_, res) => {
    void told.promise.then(() => res.end())
  })
  await using daemon = await startDaemon(`${anyPorts}
gateways:
  default:
    port: 0
    address: 127.0.0.1
    extAuthz: { host: "127.0.0.1:${decider.port}", protocol: { http: {} } }
routes:
  - policies:
      apiKey: { mode: strict, keys: [{ key: k-right-one }], location: { queryParameter: { name: badge } } }
      jwtAuth: { mode: permissive, issuer: "https://idp", jwks: '${keySetOf(signer('k1'))}', location: { header: { name: x-badge } } }
    backends: [{ host: "${upstream.host}" }]
`)
  const { body } = await fetch(`${daemon.url('admin')}/debug/trace?count=1`)
  assert.ok(body)
  const asked = sendRequest(daemon.url('default'), '/path-of-it?badge=k-right-one', {
    headers: { 'x-badge': 'token-like' },
  })
  let shown = ''
  for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
    shown += chunk
    if (shown.includes('path-of-it')) told.resolve(undefined)
  }
  assert.equal((await asked).status, 200)
  assert.match(shown, /requestFinished/)
  assert.doesNotMatch(shown, /k-right-one|token-like/)
})
