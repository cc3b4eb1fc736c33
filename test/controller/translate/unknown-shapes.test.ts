import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { resourcesOf } from '../../../src/config/xds/resource-tree.ts'
import type { XdsResource } from '../../../src/config/xds/xds-resource.ts'
import type { Graph } from '../../../src/controller/graph/graph.ts'
import { defineQuery } from '../../../src/controller/graph/query.ts'
import type { InputKind, Inputs } from '../../../src/controller/kinds/inputs.ts'
import type { DeploymentPlan } from '../../../src/controller/translate/deployment/deployment-plan.ts'
import { type DesiredState, desiredState } from '../../../src/controller/translate/desired-state.ts'
import { goldenGraph } from '../support/golden-objects.ts'

/*
 * Objects of shapes that no definition lets in, as one of an older version may have left them. Each belongs to one tenant;
 * what others have must stay as it is.
 */

const noPlan = defineQuery<DeploymentPlan | undefined>('noPlan', () => undefined)

const put = (graph: Graph, kind: InputKind, name: string, fields: object, namespace = 'ns'): void => {
  const inCluster = kind === 'GatewayClass'
  const metadata = { name, ...(inCluster ? {} : { namespace }), uid: name, generation: 1 }
  const object = { kind, metadata, ...fields } as unknown as Inputs[InputKind]
  graph.set(kind, inCluster ? name : `${namespace}/${name}`, object)
}

const listeners = [{ name: 'http', port: 80, protocol: 'HTTP' }]

const routeTo = (service: string, path: string, more: object = {}): object => ({
  spec: {
    parentRefs: [{ name: 'gateway' }],
    rules: [{ matches: [{ path: { value: path } }], backendRefs: [{ name: service, port: 80 }], ...more }],
  },
})

/** A Gateway with a route to the Service `good`, and what a poisoned object needs to have an effect. */
const healthyGraph = (): Graph => {
  const graph = goldenGraph([])
  put(graph, 'GatewayClass', 'agentgateway', { spec: { controllerName: 'agentgateway.dev/agentgateway' } })
  put(graph, 'Gateway', 'gateway', {
    spec: {
      gatewayClassName: 'agentgateway',
      allowedListeners: { namespaces: { from: 'All' } },
      listeners,
    },
  })
  for (const name of ['good', 'other']) put(graph, 'Service', name, { spec: { ports: [{ port: 80 }] } })
  put(graph, 'HTTPRoute', 'good', routeTo('good', '/good'))
  put(graph, 'HTTPRoute', 'other', routeTo('other', '/other'))
  return graph
}

const named = (state: DesiredState, name: string): XdsResource | undefined =>
  resourcesOf(state.gateways[0]?.resources ?? []).find(({ kind, key }) => `${kind}/${key}` === name)

/** A model at a listener that takes models. */
const putModel = (graph: Graph, fields: object): void => {
  const kinds = [{ group: 'agentgateway.dev', kind: 'ProxyModel' }]
  const listener = { name: 'models', port: 81, protocol: 'HTTP', allowedRoutes: { kinds } }
  put(graph, 'ListenerSet', 'models', { spec: { parentRef: { name: 'gateway' }, listeners: [listener] } })
  for (const [name, own] of Object.entries({ bad: fields, fair: { provider: 'OpenAI' } }))
    put(graph, 'ProxyModel', name, {
      spec: { parentRefs: [null, { kind: 'ListenerSet', name: 'models' }], ...own },
    })
}

const poisons: Readonly<Record<string, (graph: Graph) => void>> = {
  'a ListenerSet without listeners': (graph) => {
    put(graph, 'ListenerSet', 'bad', { spec: { parentRef: { name: 'gateway' } } })
  },
  'a ListenerSet whose listeners are no list': (graph) => {
    put(graph, 'ListenerSet', 'bad', { spec: { parentRef: { name: 'gateway' }, listeners: 5 } })
  },
  'a ListenerSet with a listener that is none': (graph) => {
    put(graph, 'ListenerSet', 'bad', { spec: { parentRef: { name: 'gateway' }, listeners: [null] } })
  },
  'a ListenerSet with a host name that is a number': (graph) => {
    const listener = { name: 'x', port: 80, protocol: 'HTTPS', hostname: 5, tls: 7 }
    put(graph, 'ListenerSet', 'bad', { spec: { parentRef: { name: 'gateway' }, listeners: [listener] } })
  },
  'a ListenerSet whose selector is no list': (graph) => {
    const namespaces = { from: 'Selector', selector: { matchExpressions: 5 } }
    const listener = { name: 'x', port: 81, protocol: 'HTTP', allowedRoutes: { namespaces } }
    put(graph, 'ListenerSet', 'bad', { spec: { parentRef: { name: 'gateway' }, listeners: [listener] } })
  },
  'a Service whose ports are no list': (graph) => {
    put(graph, 'Service', 'other', { spec: { ports: 5 } })
  },
  'a Service whose ports are none': (graph) => {
    put(graph, 'Service', 'other', { spec: { ports: [null] } })
  },
  'slices whose endpoints are no list': (graph) => {
    const labels = { 'kubernetes.io/service-name': 'other' }
    graph.set('EndpointSlice', 'ns/bad', {
      metadata: { namespace: 'ns', name: 'bad', labels },
      addressType: 'IPv4',
      ports: [{}],
      endpoints: 5,
    } as unknown as Inputs['EndpointSlice'])
  },
  'a grant of another shape': (graph) => {
    put(graph, 'ReferenceGrant', 'bad', { spec: { from: 5, to: [null] } })
  },
  'a policy without a validation': (graph) => {
    put(graph, 'BackendTLSPolicy', 'bad', {
      spec: { targetRefs: [{ group: '', kind: 'Service', name: 'other' }] },
    })
  },
  'a route whose rules are no list': (graph) => {
    put(graph, 'HTTPRoute', 'bad', { spec: { parentRefs: [{ name: 'gateway' }], rules: 5 } })
  },
  'a route with a rule that is none': (graph) => {
    put(graph, 'HTTPRoute', 'bad', { spec: { parentRefs: [{ name: 'gateway' }], rules: [null] } })
  },
  'a route with a parentRef that is none': (graph) => {
    put(graph, 'HTTPRoute', 'bad', { spec: { parentRefs: [null, { name: 'gateway' }], rules: [{}] } })
  },
  'a route whose host names are numbers': (graph) => {
    put(graph, 'HTTPRoute', 'bad', {
      spec: { parentRefs: [{ name: 'gateway' }], hostnames: [5], rules: [{}] },
    })
  },
  'a gRPC route whose rules are no list': (graph) => {
    put(graph, 'GRPCRoute', 'bad', { spec: { parentRefs: [{ name: 'gateway' }], rules: 5 } })
  },
  'a gRPC route whose host names are numbers': (graph) => {
    put(graph, 'GRPCRoute', 'bad', {
      spec: { parentRefs: [{ name: 'gateway' }], hostnames: [5], rules: [null] },
    })
  },
  'a TLS route whose rules are no list': (graph) => {
    put(graph, 'TLSRoute', 'bad', { spec: { parentRefs: [{ name: 'gateway' }], rules: 5 } })
  },
  'a TCP route with a rule that is none': (graph) => {
    put(graph, 'TCPRoute', 'bad', { spec: { parentRefs: [{ name: 'gateway' }], rules: [null] } })
  },
  'a model without a specification': (graph) => {
    put(graph, 'ProxyModel', 'bad', {})
  },
  'a model whose parents are no list': (graph) => {
    put(graph, 'ProxyModel', 'bad', { spec: { parentRefs: 5, provider: 'OpenAI' } })
  },
  'a model whose name is a number': (graph) => {
    putModel(graph, { match: { model: 5 }, provider: 'OpenAI' })
  },
  'a model whose policies are none': (graph) => {
    putModel(graph, { policies: { auth: 5, tls: null }, custom: 5, provider: 'Custom' })
  },
  'a virtual model whose targets are none': (graph) => {
    putModel(graph, { virtualModel: { weighted: { targets: [null] } } })
  },
  'a virtual model of no kind': (graph) => {
    putModel(graph, { virtualModel: 5 })
  },
  'a Gateway without a specification': (graph) => {
    put(graph, 'Gateway', 'bad', {})
  },
  'a Secret without data': (graph) => {
    put(graph, 'Secret', 'bad', { data: 5 })
  },
}

suite('of other tenants, nothing changes by', () => {
  for (const [name, poison] of Object.entries(poisons))
    test(name, () => {
      const graph = healthyGraph()
      const before = desiredState(graph, noPlan)
      poison(graph)
      const after = desiredState(graph, noPlan, before)
      const route = 'route/HTTPRoute/ns/good/00'
      assert.equal(named(after, route), named(before, route))
      assert.ok(named(after, route))
      // The Gateway is still translated, so that it follows what its tenants change.
      put(graph, 'HTTPRoute', 'new', routeTo('good', '/new'))
      const next = desiredState(graph, noPlan, after)
      assert.ok(named(next, 'route/HTTPRoute/ns/new/00'), JSON.stringify(next.failures.map(String)))
      const statuses = next.statuses.map(({ kind, key }) => `${kind} ${key}`)
      for (const status of ['Gateway ns/gateway', 'HTTPRoute ns/new', 'HTTPRoute ns/good'])
        assert.ok(statuses.includes(status), status)
    })
})

suite('what cannot be translated fails closed', () => {
  test('a policy makes the connections to its Service fail', () => {
    const graph = healthyGraph()
    poisons['a policy without a validation']?.(graph)
    const policies = resourcesOf(desiredState(graph, noPlan).gateways[0]?.resources ?? []).filter(
      ({ kind }) => kind === 'policy',
    )
    const [policy] = policies
    assert.ok(policy?.kind === 'policy')
    assert.deepEqual(policy.model.policy.backendTLS, { invalid: 'The BackendTLSPolicy cannot be translated' })
  })

  test('a model whose policies or targets are of no shape has no provider, beside others', () => {
    for (const [name, served] of [
      ['a model whose name is a number', 'fair OpenAI'],
      ['a model whose policies are none', 'bad closed, fair OpenAI'],
      ['a virtual model whose targets are none', 'fair OpenAI, bad unresolved'],
      ['a virtual model of no kind', 'fair OpenAI, bad unresolved'],
    ] as const) {
      const graph = healthyGraph()
      poisons[name]?.(graph)
      const [gateway] = desiredState(graph, noPlan).gateways
      const models = resourcesOf(gateway?.resources ?? []).find(({ kind }) => kind === 'models')
      assert.ok(models?.kind === 'models')
      const concrete = models.model.models.map(
        (one) => `${one.name} ${one.tls?.invalid ? 'closed' : 'OpenAI'}`,
      )
      const virtual = (models.model.virtualModels ?? []).map(
        (one) => `${one.name} ${one.routing.weighted?.targets[0]?.id ?? ''}`,
      )
      assert.equal([...concrete, ...virtual].join(', '), served, name)
    }
  })

  test('a rule replies 500 at its matches', () => {
    const graph = healthyGraph()
    put(graph, 'HTTPRoute', 'bad', routeTo('good', '/good/admin', { filters: 5 }))
    const route = named(desiredState(graph, noPlan), 'route/HTTPRoute/ns/bad/00')
    assert.ok(route?.kind === 'route')
    assert.deepEqual(route.model.matches, [{ path: { pathPrefix: '/good/admin' } }])
    assert.deepEqual(route.model.backends, [{ invalid: null }])
  })
})
