import type * as File from '../../src/config/schema/file-types.gen.ts'
import assert from 'node:assert/strict'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { json } from 'node:stream/consumers'
import { test } from 'node:test'
import { parse } from 'yaml'
import { defineQuery } from '../../src/controller/graph/query.ts'
import { providerForms } from '../../src/controller/custom-resources/provider-policies.ts'
import type { AiBackendForm } from '../../src/operators/llm/kubernetes/ai-backend-field.ts'
import { aiBackendOf } from '../../src/operators/llm/kubernetes/ai-backend.ts'
import { objectFormContext } from '../../src/controller/translate/policy/object-form-context.ts'
import { anyPorts, startDaemon } from '../support/daemon.ts'
import { userMessage } from '../support/llm/model-request.ts'
import { sendRequest } from '../support/send-request.ts'
import { listening, type UpstreamServer } from '../support/upstream-servers.ts'
import { goldenGraph, readGoldenObjects } from './support/golden-objects.ts'
import { serveFile, servedFile } from './support/served-gateway.ts'

/*
 * Language models with failover and a guard, as they are written in a cluster, served by a gateway in its own process.
 */

/** A call of the gateway to the webhook. */
interface Callout {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: unknown
}

/** A webhook that rejects what has `block` in it. */
const startWebhook = async (): Promise<UpstreamServer & { readonly callouts: Callout[] }> => {
  const callouts: Callout[] = []
  const server = createServer((request, response) => {
    json(request).then(
      (body) => {
        callouts.push({ path: request.url ?? '', headers: request.headers, body })
        const action = JSON.stringify(body).includes('block')
          ? { body: 'This was blocked.', status_code: 403 }
          : {}
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ action }))
      },
      () => response.destroy(),
    )
  })
  return Object.assign(await listening(server), { callouts })
}

/** A Service, with one endpoint if it has a port. */
const service = (name: string, port?: number): string => `
---
kind: Service
metadata: { namespace: shop, name: ${name} }
spec: { clusterIP: 10.96.0.1, ports: [{ name: http, port: 8000, targetPort: 8000 }] }
${
  port === undefined
    ? ''
    : `---
kind: EndpointSlice
metadata: { namespace: shop, name: ${name}, labels: { kubernetes.io/service-name: ${name} } }
addressType: IPv4
ports: [{ name: http, port: ${port} }]
endpoints: [{ addresses: [192.0.2.10], conditions: { ready: true } }]`
}`

const common = `
kind: GatewayClass
metadata: { name: agentgateway }
spec: { controllerName: agentgateway.dev/agentgateway }
---
kind: Gateway
metadata: { namespace: shop, name: web }
spec:
  gatewayClassName: agentgateway
  listeners: [{ name: any, port: 8080, protocol: HTTP }]
---
kind: HTTPRoute
metadata: { namespace: shop, name: chat }
spec:
  parentRefs: [{ name: web }]
  rules: [{ backendRefs: [{ name: models, port: 8000 }, { name: unplugged, port: 8000 }] }]
---
kind: ProxyPolicy
metadata: { namespace: shop, name: guard }
spec:
  targetRefs:
    - group: gateway.networking.k8s.io
      kind: HTTPRoute
      name: chat
  backend:
    ai:
      promptGuard:
        request:
          - webhook:
              backendRef:
                kind: Service
                name: guardrail-webhook
                port: 8000
              headers:
                ':path': '"/check"'
                x-team: request.headers["x-team"]
                x-model: llmRequest.model
                x-user: jwt.sub
        response:
          - webhook:
              backendRef:
                kind: Service
                name: guardrail-webhook
                port: 8000
`

const models: AiBackendForm = (
  parse(`
ai:
  groups:
    - providers:
        - name: unplugged
          custom: { formats: [{ type: Completions }], backendRef: { group: '', kind: Service, name: unplugged, port: 8000 } }
    - providers:
        - name: models
          custom: { model: mock, formats: [{ type: Completions }], backendRef: { group: '', kind: Service, name: models, port: 8000 } }
          policies:
            health: { eviction: { duration: 3s, consecutiveFailures: 1 } }
`) as { ai: AiBackendForm }
).ai

test('language models of a cluster', async (t) => {
  await using provider = await startDaemon(`${anyPorts}
gateways:
  default: { address: 127.0.0.1, port: 0 }
llm: { models: [{ name: '*', provider: mock }] }
`)
  await using webhook = await startWebhook()
  const objects =
    common +
    service('guardrail-webhook', webhook.port) +
    service('models', Number(new URL(provider.url('default')).port)) +
    service('unplugged')
  await using gateway = await serveFile(fileOf(objects))

  const ask = async (words: string) => {
    const { path, request } = userMessage('completions', 'gpt-5', words)
    webhook.callouts.length = 0
    return sendRequest(gateway.url('web'), path, {
      ...request,
      headers: { ...request.headers, 'x-team': 'red' },
    })
  }

  await t.test('are served by the next group, and the webhook sees both sides', async () => {
    const reply = await ask('mock:say hello')
    assert.equal(reply.status, 200, reply.text)
    const messages = [{ role: 'user', content: 'mock:say hello' }]
    const asked = ['/check', 'red', 'gpt-5', undefined, { body: { messages } }]
    assert.match(reply.text, /hello/)
    assert.deepEqual(
      webhook.callouts.map(({ path, headers, body }) => [
        path,
        headers['x-team'],
        headers['x-model'],
        headers['x-user'],
        body,
      ]),
      [
        // Each provider has the guards.
        asked,
        asked,
        [
          '/response',
          undefined,
          undefined,
          undefined,
          { body: { choices: [{ message: { role: 'assistant', content: 'hello' } }] } },
        ],
      ],
    )
  })

  await t.test('do not get what the webhook rejects', async () => {
    const reply = await ask('mock:say please block this')
    assert.deepEqual([reply.status, reply.text], [403, 'This was blocked.'])
    assert.deepEqual(
      webhook.callouts.map(({ path }) => path),
      ['/check'],
    )
  })
})

/** What the proxies get, with the models of the ProxyBackend behind the route. */
const fileOf = (objects: string) => {
  const graph = goldenGraph(readGoldenObjects(objects, (text) => text))
  const translated = defineQuery('models', (reads) => {
    const problems: string[] = []
    const holder = {
      kind: 'ProxyBackend',
      namespace: 'shop',
      references: new Set<string>(),
      keySets: new Map<string, never>(),
    } as const
    const context = objectFormContext(reads, holder, (message) => problems.push(message))
    const ai = aiBackendOf(
      models,
      context,
      ({ health }) => providerForms.health.translate(health as never, context) as File.BackendPolicies,
    )
    return { ai, problems }
  })
  const { ai, problems } = graph.read(translated, '')
  assert.deepEqual(problems, [])
  const file = servedFile(graph, 'shop/web')
  for (const route of file.binds[0]?.listeners[0]?.routes ?? []) Object.assign(route, { backends: [{ ai }] })
  return file
}
