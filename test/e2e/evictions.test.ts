import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sendRequest } from '../support/send-request.ts'
import { anyPorts, startDaemon } from '../support/daemon.ts'
import { httpServer } from '../support/upstream-servers.ts'

test('cache evictions are counted by cache', async () => {
  await using decider = await httpServer((_, res) => res.end())
  await using issuer = await httpServer((req, res) => {
    req.resume()
    res.setHeader('content-type', 'application/json')
    res.end('{"access_token":"a","token_type":"Bearer","expires_in":3600}')
  })
  await using upstream = await httpServer((req, res) => res.end(req.headers.authorization ?? 'nobody'))
  await using daemon = await startDaemon(`${anyPorts}
gateways: { default: { port: 0, address: 127.0.0.1 } }
routes:
  - name: decided
    matches: [{ path: { pathPrefix: /decided } }]
    policies:
      extAuthz:
        host: 127.0.0.1:${decider.port}
        protocol: { http: {} }
        cache: { key: [request.path], ttl: "duration('60s')", maxEntries: 2 }
    backends: [{ host: "127.0.0.1:${upstream.port}" }]
  - name: traded
    backends:
      - host: 127.0.0.1:${upstream.port}
        policies:
          backendAuth:
            oauthTokenExchange:
              host: 127.0.0.1:${issuer.port}
              path: /token
              subjectToken: { source: { header: { name: x-token } } }
              clientAuth: { clientId: gateway, clientSecret: s3cret }
              cache: { maxEntries: 2 }
`)
  const url = daemon.url('default')
  const allCaches = async (): Promise<string[]> => {
    const text = await (await fetch(`${daemon.url('stats')}/metrics`)).text()
    return text.split('\n').filter((line) => line.startsWith('agentgateway_evictions_total{'))
  }
  const evictions = async () => (await allCaches()).filter((line) => !line.endsWith(' 0'))
  assert.ok((await allCaches()).includes('agentgateway_evictions_total{cache="decisions"} 0'))
  for (const name of ['a', 'b', 'b', 'a']) {
    assert.equal((await sendRequest(url, `/decided/${name}`)).status, 200)
    assert.equal((await sendRequest(url, '/', { headers: { 'x-token': name } })).text, 'Bearer a')
  }
  assert.deepEqual(await evictions(), [])
  for (const name of ['c', 'd']) await sendRequest(url, `/decided/${name}`)
  await sendRequest(url, '/', { headers: { 'x-token': 'c' } })
  assert.deepEqual((await evictions()).sort(), [
    'agentgateway_evictions_total{cache="backend_tokens"} 1',
    'agentgateway_evictions_total{cache="decisions"} 2',
  ])
})
