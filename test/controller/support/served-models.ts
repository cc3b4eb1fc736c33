import type { TestContext } from 'node:test'
import { resourcesOf } from '../../../src/config/xds/resource-tree.ts'
import { type XdsResource, xdsResource } from '../../../src/config/xds/xds-resource.ts'
import { gatewayBackendResources } from '../../../src/controller/translate/backend/backend-resources.ts'
import { gatewayRouteResources } from '../../../src/controller/translate/gateway-route-resources.ts'
import { gatewayListenerResources } from '../../../src/controller/translate/listener/gateway-listener-resources.ts'
import { gatewayModelResources } from '../../../src/controller/translate/model/model-resources.ts'
import { gatewayPolicyResources } from '../../../src/controller/translate/policy/policy-resources.ts'
import { anyPorts, startDaemon } from '../../support/daemon.ts'
import { completion, jsonOf, startProvider } from '../../support/llm/recording-provider.ts'
import type { UpstreamServer } from '../../support/upstream-servers.ts'
import { startXdsServer } from '../../support/xds/xds-server.ts'
import { goldenGraph, readGoldenObjects } from './golden-objects.ts'

/** A provider that replies with its name and the model that it was asked for; `down` makes it fail. */
export const startNamedProvider = async (name: string) => {
  const state = { isDown: false }
  const provider = await startProvider((call, response) => {
    const { model } = jsonOf(call)
    response.writeHead(state.isDown ? 503 : 200, { 'content-type': 'application/json' })
    const message = { role: 'assistant', content: `${name} ${String(model)}` }
    response.end(JSON.stringify({ ...completion, choices: [{ index: 0, message, finish_reason: 'stop' }] }))
  })
  return Object.assign(state, provider)
}

/** A Gateway `shop/web` with a listener on a port that takes models, and Services for providers. */
export const modelCluster = (port: number, providers: Readonly<Record<string, UpstreamServer>>): string => `
kind: GatewayClass
metadata: { name: agentgateway }
spec: { controllerName: agentgateway.dev/agentgateway }
---
kind: Gateway
metadata: { namespace: shop, name: web }
spec:
  gatewayClassName: agentgateway
  listeners:
    - name: any
      port: ${port}
      protocol: HTTP
      allowedRoutes:
        kinds: [{ kind: HTTPRoute }, { group: agentgateway.dev, kind: ProxyModel }]
${Object.entries(providers)
  .map(
    ([name, provider]) => `---
kind: Service
metadata: { namespace: shop, name: ${name} }
spec: { clusterIP: 10.96.0.1, ports: [{ name: http, port: 8000, targetPort: 8000 }] }
---
kind: EndpointSlice
metadata: { namespace: shop, name: ${name}, labels: { kubernetes.io/service-name: ${name} } }
addressType: IPv4
ports: [{ name: http, port: ${provider.port} }]
endpoints: [{ addresses: [192.0.2.10], conditions: { ready: true } }]
`,
  )
  .join('')}`

/** A model that a Service serves. */
export const servedBy = (service: string): string =>
  `provider: Custom, custom: { formats: [{ type: Completions }], backendRef: { name: ${service}, port: 8000 } }`

const resourcesAt = (objects: string): readonly XdsResource[] => {
  const graph = goldenGraph(readGoldenObjects(objects, (text) => text))
  return [
    gatewayListenerResources,
    gatewayRouteResources,
    gatewayBackendResources,
    gatewayPolicyResources,
    gatewayModelResources,
  ]
    .flatMap((query) => resourcesOf(graph.read(query, 'shop/web')))
    .map((resource) =>
      // The address of this machine is none that the control plane takes.
      resource.kind === 'workload'
        ? xdsResource('workload', resource.key, { ...resource.model, workloadIps: ['127.0.0.1'] })
        : resource,
    )
}

/** A gateway in its own process with what the proxies of `shop/web` get of some objects, by xDS. */
export const serveModels = async (t: Pick<TestContext, 'after'>, port: number, objects: string) => {
  const server = await startXdsServer()
  server.sets.set('shop/web', resourcesAt(objects))
  const env = { XDS_ADDRESS: `http://127.0.0.1:${server.port}`, NAMESPACE: 'shop', GATEWAY: 'web' }
  const daemon = await startDaemon(anyPorts, { env })
  t.after(async () => {
    await daemon[Symbol.asyncDispose]()
    await server[Symbol.asyncDispose]()
  })
  await daemon.printed(/(?:configuration in force[^]*){2}/)
  const url = `http://127.0.0.1:${port}`
  return {
    url,
    /** Status and text of the message, or the code of the error. */
    ask: async (model: string, { path = '', headers = {} } = {}): Promise<string> => {
      const reply = await fetch(`${url}${path}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] }),
      })
      const text = await reply.text()
      if (!text.startsWith('{')) return `${reply.status} ${text}`
      const { choices, error } = JSON.parse(text) as {
        readonly choices?: readonly { readonly message: { readonly content: string } }[]
        readonly error?: { readonly code?: string; readonly message: string }
      }
      return `${reply.status} ${choices?.[0]?.message.content ?? error?.code ?? error?.message}`
    },
    list: async (path = '', headers = {}): Promise<readonly string[]> => {
      const reply = await fetch(`${url}${path}/v1/models`, { headers })
      const { data } = (await reply.json()) as { readonly data: readonly { readonly id: string }[] }
      return data.map(({ id }) => id)
    },
  }
}
