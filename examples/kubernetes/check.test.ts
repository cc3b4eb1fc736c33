import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { stringify } from 'yaml'
import { resourcesOf } from '../../src/config/xds/resource-tree.ts'
import type { XdsResource } from '../../src/config/xds/xds-resource.ts'
import type { EndpointSlice, Secret, Service } from '../../src/controller/kinds/core.ts'
import type { Condition } from '../../src/controller/kinds/object.ts'
import { ownGatewayClass } from '../../src/controller/translate/gateway-class/own-gateway-class.ts'
import { gatewayDeploymentPlan } from '../../src/controller/translate/deployment/deployment-plan-query.ts'
import { desiredState } from '../../src/controller/translate/desired-state.ts'
import { goldenConfig } from '../../test/controller/support/golden-config.ts'
import { goldenGraph, readGoldenObjects } from '../../test/controller/support/golden-objects.ts'
import { sendRequest } from '../../test/support/send-request.ts'
import { anyPorts, startDaemon } from '../../test/support/daemon.ts'
import { startUpstream } from '../../test/support/upstream.ts'

const settings = {
  controllerName: 'agentgateway.dev/agentgateway',
  gatewayClassName: 'agentgateway',
  clusterDomain: 'cluster.local',
}
const plan = gatewayDeploymentPlan({
  image: { registry: '', repository: 'agentgateway', tag: 'test' },
  xds: { host: 'agentgateway.agentgateway-system.svc.cluster.local', port: 9978 },
  noListenersPort: 443,
  version: '0.0.0',
})

/** The objects of a manifest; Deployments are for Kubernetes alone. */
const manifest = (name: string) =>
  readGoldenObjects(
    readFileSync(new URL(name, import.meta.url), 'utf8')
      .split(/^---$/m)
      .filter((text) => !/^kind: Deployment$/m.test(text))
      .join('---\n'),
    (text) => text,
  )

/** The objects of the example in a graph, with what a cluster would add. */
const exampleGraph = () => {
  const graph = goldenGraph([...manifest('cart.yaml'), ...manifest('gateway.yaml')])
  graph.set('GatewayClass', 'agentgateway', ownGatewayClass(settings))
  return graph
}

const sessionKey: Secret = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { namespace: 'shop', name: 'web-session-key' },
  data: { key: Buffer.from('ab'.repeat(32)).toString('base64') },
}

const proxyService: Service = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: {
    namespace: 'shop',
    name: 'web',
    ownerReferences: [
      {
        apiVersion: 'gateway.networking.k8s.io/v1',
        kind: 'Gateway',
        name: 'web',
        uid: 'shop/web',
        controller: true,
      },
    ],
  },
  spec: { type: 'LoadBalancer' },
  status: { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } },
}

/** As the API server keeps it: with the texts of `stringData` in `data`. */
const asStored = <T extends object>(object: T): T => {
  const { stringData, ...rest } = object as T & { readonly stringData?: Readonly<Record<string, string>> }
  if (!stringData) return object
  const data = Object.entries(stringData).map(([key, text]) => [key, Buffer.from(text).toString('base64')])
  return { ...rest, data: Object.fromEntries(data) as unknown } as unknown as T
}

const secretWithKey = (name: string): Secret => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { namespace: 'shop', name },
  data: { Authorization: Buffer.from('Bearer key').toString('base64') },
})

const guard: Omit<Service, 'metadata'> = {
  apiVersion: 'v1',
  kind: 'Service',
  spec: { type: 'ClusterIP', clusterIP: '10.96.0.20', ports: [{ port: 8000 }] },
}

const endpointsAt = (host: string): EndpointSlice => {
  const [, port] = host.split(':')
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { namespace: 'shop', name: 'cart-1', labels: { 'kubernetes.io/service-name': 'cart' } },
    addressType: 'IPv4',
    ports: [{ port: Number(port), protocol: 'TCP' }],
    endpoints: [{ addresses: ['192.0.2.10'], conditions: { ready: true } }],
  }
}

/** Any free port of this machine in place of the bind's, and its address in place of the endpoint's: no slice may name that. */
const onFreePort = (resources: readonly XdsResource[]): string => {
  const config = goldenConfig(resources).replaceAll('192.0.2.10', '127.0.0.1')
  const { binds, ...rest } = JSON.parse(config) as { binds: readonly object[] }
  const moved = binds.map((bind) => ({ ...bind, port: 0, address: '127.0.0.1' }))
  return anyPorts + stringify({ binds: moved, ...rest })
}

test('examples/kubernetes', async (t) => {
  await t.test('is accepted, and programmed once the Service of the proxies has an address', () => {
    const graph = exampleGraph()
    const conditions = () =>
      desiredState(graph, plan).statuses.flatMap(({ kind, status }) => {
        const { conditions = [], parents = [] } = status as {
          readonly conditions?: readonly { type: string; status: string }[]
          readonly parents?: readonly { conditions: readonly { type: string; status: string }[] }[]
        }
        return [...conditions, ...parents.flatMap((parent) => parent.conditions)]
          .filter(({ type }) => type !== 'SupportedVersion')
          .map(({ type, status }) => `${kind} ${type}=${status}`)
      })
    const accepted = ['GatewayClass Accepted=True', 'Gateway Accepted=True']
    const route = ['HTTPRoute Accepted=True', 'HTTPRoute ResolvedRefs=True']
    assert.deepEqual(conditions(), [...accepted, 'Gateway Programmed=False', ...route])
    graph.set('Service', 'shop/web', proxyService)
    assert.deepEqual(conditions(), [...accepted, 'Gateway Programmed=True', ...route])
  })

  await t.test('has routes of connections that are accepted', () => {
    const graph = goldenGraph(manifest('connections.yaml'))
    graph.set('GatewayClass', 'agentgateway', ownGatewayClass(settings))
    const { statuses } = desiredState(graph, plan)
    const parents = statuses.flatMap(
      ({ key, status }) =>
        (
          status as { readonly parents?: readonly { readonly conditions: readonly Condition[] }[] }
        ).parents?.map(
          ({ conditions }) => `${key} ${conditions.find(({ type }) => type === 'Accepted')?.status ?? ''}`,
        ) ?? [],
    )
    assert.deepEqual(parents.sort(), ['shop/broker True', 'shop/cache True', 'shop/orders-database True'])
  })

  await t.test('has policies and models that are accepted', () => {
    const graph = goldenGraph(
      ['cart.yaml', 'gateway.yaml', 'policies.yaml', 'models.yaml', 'callers.yaml']
        .flatMap((name) => manifest(name))
        .map(asStored),
    )
    graph.set('GatewayClass', 'agentgateway', ownGatewayClass(settings))
    for (const name of ['openai', 'anthropic']) graph.set('Secret', `shop/${name}`, secretWithKey(name))
    graph.set('Service', 'shop/guard', { ...guard, metadata: { namespace: 'shop', name: 'guard' } })
    const { statuses } = desiredState(graph, plan)
    const accepted = statuses.flatMap(({ kind, key, status }) => {
      const { conditions = [], ancestors = [] } = status as {
        readonly conditions?: readonly Condition[]
        readonly ancestors?: readonly { readonly conditions: readonly Condition[] }[]
      }
      return [...conditions, ...ancestors.flatMap((ancestor) => ancestor.conditions)]
        .filter(({ type }) => kind.startsWith('Proxy') && type === 'Accepted')
        .map(({ reason, message }) => `${key} ${reason}: ${message}`)
    })
    assert.deepEqual(accepted.sort(), [
      'shop/cart-access Valid: Policy accepted',
      'shop/models Accepted: Backend successfully accepted',
      'shop/models-callers Valid: Policy accepted',
      'shop/models-guard Valid: Policy accepted',
    ])
  })

  await t.test('has tokens whose keys the control plane fetches', () => {
    const graph = goldenGraph(['cart.yaml', 'gateway.yaml', 'tokens.yaml'].flatMap((name) => manifest(name)))
    graph.set('GatewayClass', 'agentgateway', ownGatewayClass(settings))
    const { keySets } = desiredState(graph, plan)
    assert.deepEqual(
      keySets.map(({ source }) => [source?.url, source?.tls, source?.refreshMs]),
      [['https://issuer.example.com:443/.well-known/jwks.json', {}, 900_000]],
    )
    const conditions = () =>
      desiredState(graph, plan).statuses.flatMap(({ kind, status }) => {
        const { ancestors = [] } = status as {
          readonly ancestors?: readonly { readonly conditions: readonly Condition[] }[]
        }
        return ancestors.flatMap((one) => one.conditions.map(({ reason }) => `${kind} ${reason}`))
      })
    assert.deepEqual(conditions(), ['ProxyPolicy Invalid', 'ProxyPolicy Pending'])
    const key = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' })
    const jwks = JSON.stringify({ keys: [{ ...key, kid: 'a', alg: 'ES256' }] })
    const stored = { url: '', fetchedAt: '2026-01-01T00:00:00Z', jwks }
    const name = keySets[0]?.name ?? ''
    graph.set('ConfigMap', `agentgateway-system/${name}`, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: {
        namespace: 'agentgateway-system',
        name,
        annotations: { 'agentgateway.dev/controller-name': settings.controllerName },
      },
      data: { 'jwks-store': JSON.stringify(stored) },
    })
    assert.deepEqual(conditions(), ['ProxyPolicy Valid', 'ProxyPolicy Attached'])
  })

  await t.test('has models by name that are accepted', () => {
    const graph = goldenGraph(manifest('proxy-models.yaml'))
    graph.set('GatewayClass', 'agentgateway', ownGatewayClass(settings))
    for (const name of ['openai', 'anthropic']) graph.set('Secret', `shop/${name}`, secretWithKey(name))
    graph.set('Service', 'shop/llama', { ...guard, metadata: { namespace: 'shop', name: 'llama' } })
    const { statuses } = desiredState(graph, plan)
    const conditions = statuses.flatMap(({ kind, key, status }) => {
      const { parents = [] } = status as {
        readonly parents?: readonly { readonly conditions: readonly Condition[] }[]
      }
      return parents.map((parent) => `${kind} ${key} ${parent.conditions.map((one) => one.reason).join()}`)
    })
    assert.deepEqual(conditions, [
      'HTTPRoute shop/research Accepted,ResolvedRefs',
      'ProxyModel shop/chat Accepted,ResolvedRefs',
      'ProxyModel shop/claude Accepted,ResolvedRefs',
      'ProxyModel shop/gpt Accepted,ResolvedRefs',
      'ProxyModel shop/llama Accepted,ResolvedRefs',
    ])
  })

  await t.test('gets a Deployment and a Service with port 80, named web', () => {
    const graph = exampleGraph()
    const planned = () => desiredState(graph, plan).gateways[0]?.plan
    assert.deepEqual(Object.keys(planned() ?? {}), ['missingSessionKey'])
    graph.set('Secret', 'shop/web-session-key', sessionKey)
    const now = planned()
    assert.ok(now && 'objects' in now)
    const objects = now.objects.map(({ kind, metadata }) => `${kind} ${metadata.namespace}/${metadata.name}`)
    assert.deepEqual(objects, [
      'ServiceAccount shop/web',
      'ConfigMap shop/web',
      'Service shop/web',
      'Deployment shop/web',
    ])
    const service = now.objects.find(({ kind }) => kind === 'Service') as Service | undefined
    assert.deepEqual(
      service?.spec?.ports?.map(({ port }) => port),
      [80],
    )
  })

  await t.test('routes /cart of shop.example.com to the pods of the service', async () => {
    await using pod = await startUpstream((req, res) => res.end(`${req.headers.host} ${req.url}`))
    const graph = exampleGraph()
    graph.set('EndpointSlice', 'shop/cart-1', endpointsAt(pod.host))
    const [gateway] = desiredState(graph, plan).gateways
    assert.equal(gateway?.role, 'shop/web')
    await using daemon = await startDaemon(onFreePort(resourcesOf(gateway.resources)))
    const [, url = ''] = await daemon.printed(/listens on (http:\/\/127\.0\.0\.1:\d+)/)
    const get = async (path: string, host: string) => {
      const { status, text } = await sendRequest(url, path, { headers: { host } })
      return status === 200 ? text : status
    }
    assert.equal(await get('/cart', 'shop.example.com'), 'shop.example.com /cart')
    assert.equal(await get('/cart/7', 'shop.example.com'), 'shop.example.com /cart/7')
    assert.equal(await get('/other', 'shop.example.com'), 404)
    assert.equal(await get('/cart', 'other.example.com'), 404)
  })
})
