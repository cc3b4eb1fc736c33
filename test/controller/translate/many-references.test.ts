import assert from 'node:assert/strict'
import { resourcesOf } from '../../../src/config/xds/resource-tree.ts'
import { defineQuery, type Query } from '../../../src/controller/graph/query.ts'
import type { Graph } from '../../../src/controller/graph/graph.ts'
import { serviceTlsPolicies } from '../../../src/controller/translate/backend-tls/service-tls-policies.ts'
import { serviceProblem } from '../../../src/controller/translate/backend/reference-problem.ts'
import { selectedServices } from '../../../src/controller/translate/backend/selected-services.ts'
import { isReferenceGranted } from '../../../src/controller/translate/grants/reference-grants.ts'
import { gatewayPolicyResources } from '../../../src/controller/translate/policy/policy-resources.ts'
import { policyTargets } from '../../../src/controller/translate/policy/policy-targets.ts'
import { gatewaysOfService } from '../../../src/controller/translate/route/service-gateways.ts'
import { serviceWorkloads } from '../../../src/controller/translate/service/service-workloads.ts'
import {
  list,
  longList,
  object,
  ports,
  service,
  testLongLists,
  tlsPolicy,
  tlsTarget,
} from '../support/long-lists.ts'
import { objectMeta, type PlainObject } from '../support/plain-object.ts'

/*
 * Many objects that refer to each other, by the queries that follow the references: the rest of a translation takes longer,
 * and would hide them.
 */

const slice = (name: string, slicePorts: readonly object[], addresses: readonly string[]): PlainObject => ({
  kind: 'EndpointSlice',
  metadata: {
    ...objectMeta(name),
    labels: { 'kubernetes.io/service-name': 'web' },
  } as PlainObject['metadata'],
  addressType: 'IPv4',
  ports: slicePorts,
  endpoints: addresses.map((address) => ({ addresses: [address] })),
})

const grant = (name: string, from: readonly string[], to: readonly string[]): PlainObject =>
  object('ReferenceGrant', name, {
    from: from.map((namespace) => ({ ...routes, namespace })),
    to: to.map((one) => ({ group: '', kind: 'Service', name: one })),
  })

const routes = { group: 'gateway.networking.k8s.io', kind: 'HTTPRoute' }

/** Reads by a query, as the translation does. */
const querying = (name: string, compute: Query<unknown>['compute']) => {
  const query = defineQuery(name, compute)
  return (graph: Graph, count: number): unknown => graph.read(query, String(count))
}

const isGranted = querying('granted', (reads, count) =>
  assert.ok(
    list(Number(count), (index) =>
      isReferenceGranted(
        reads,
        { ...routes, namespace: `t${index}` },
        { group: '', kind: 'Service', namespace: 'ns', name: `s${index}` },
      ),
    ).every(Boolean),
  ),
)

const referencePorts = querying('ports', (reads, count) =>
  list(Number(count), (index) =>
    assert.equal(
      serviceProblem(reads, { name: 'web', port: index + 1 }, undefined, { key: 'ns/web', namespace: 'ns' }),
      undefined,
    ),
  ),
)

const selectServices = querying('selected', (reads, count) =>
  list(Number(count), (index) =>
    assert.equal(
      selectedServices(reads, 'ns', { namespaces: {}, services: { matchLabels: { app: `a${index}` } } })
        .length,
      1,
    ),
  ),
)

testLongLists({
  'BackendTLSPolicies of the ports of a Service': longList(
    2_000,
    (count) => [
      service('web', ports(count)),
      ...list(count, (index) => tlsPolicy(`tls-${index}`, [tlsTarget('web', `p${index}`)])),
    ],
    (graph, count) => assert.equal(graph.read(serviceTlsPolicies, 'ns/web').length, count),
  ),
  'targets of a BackendTLSPolicy': longList(
    2_000,
    (count) => [
      tlsPolicy(
        'tls',
        list(count, (index) => tlsTarget(`s${index}`)),
      ),
    ],
    (graph, count) => list(count, (index) => graph.read(serviceTlsPolicies, `ns/s${index}`)),
  ),
  'backends of a TCPRoute': longList(
    2_000,
    (count) => [
      object('TCPRoute', 'route', {
        parentRefs: [{ name: 'gateway', sectionName: 'tcp' }],
        rules: [{ backendRefs: list(count, (index) => ({ name: `s${index}`, port: 80 })) }],
      }),
      ...list(count, (index) => service(`s${index}`)),
    ],
    (graph, count) =>
      list(count, (index) => assert.equal(graph.read(gatewaysOfService, `ns/s${index}`).length, 1)),
  ),
  'origins and destinations of a ReferenceGrant': longList(
    2_000,
    (count) => [
      grant(
        'grant',
        list(count, (index) => `t${index}`),
        list(count, (index) => `s${index}`),
      ),
    ],
    isGranted,
  ),
  'ReferenceGrants of a namespace, for a tenant each': longList(
    2_000,
    (count) => list(count, (index) => grant(`grant-${index}`, [`t${index}`], [`s${index}`])),
    isGranted,
  ),
  'ports of a Service, with a reference each': longList(
    2_000,
    (count) => [service('web', ports(count))],
    referencePorts,
  ),
  'ports of a Service and of its EndpointSlice': longList(
    2_000,
    (count) => [service('web', ports(count)), slice('slice', ports(count), ['10.0.0.1'])],
    (graph) => assert.equal(graph.read(serviceWorkloads, 'ns/web').length, 1),
  ),
  'EndpointSlices with a port of one endpoint each': longList(
    1_000,
    (count) => [
      service('web', ports(count)),
      ...ports(count).map((port) => slice(`slice-${port.name}`, [port], ['10.0.0.1'])),
    ],
    (graph) => assert.equal(graph.read(serviceWorkloads, 'ns/web').length, 1),
  ),
  'routes that a ProxyPolicy selects': longList(
    500,
    (count) => [
      ...list(count, (index) =>
        object('HTTPRoute', `route-${index}`, { parentRefs: [{ name: 'gateway' }] }, { app: 'a' }),
      ),
      object('ProxyPolicy', 'policy', {
        targetSelectors: [{ ...routes, matchLabels: { app: 'a' } }],
        traffic: { timeouts: { request: '5s' } },
      }),
    ],
    (graph, count) =>
      assert.equal(resourcesOf(graph.read(gatewayPolicyResources, 'ns/gateway')).length, count),
  ),
  'ProxyPolicies beyond the limit of their namespace': longList(
    1_000,
    (count) => [
      ...list(100, (index) => object('HTTPRoute', `route-${index}`, {}, { app: 'a' })),
      ...list(count, (index) =>
        object('ProxyPolicy', `policy-${index}`, {
          targetSelectors: [{ ...routes, matchLabels: { app: 'a' } }],
          traffic:
            index === 0
              ? { cors: { allowHeaders: ['x'.repeat(1_000 * 1_024)] } }
              : { authorization: { policy: { matchExpressions: ['true'] } } },
        }),
      ),
    ],
    (graph, count) => {
      const targets = list(
        count,
        (index) => graph.read(policyTargets, `ns/policy-${index}`).references.length,
      )
      // Nothing refuses in place of the long one, and that which comes next refuses for all others.
      assert.deepEqual(
        targets.filter((length) => length > 0),
        [100],
      )
    },
  ),
  'ProxyPolicies that select a Service each': longList(
    2_000,
    (count) =>
      list(count, (index) => [
        service(`s${index}`, [], { app: `a${index}` }),
        object('ProxyPolicy', `policy-${index}`, {
          targetSelectors: [{ group: '', kind: 'Service', matchLabels: { app: `a${index}` } }],
        }),
      ]).flat(),
    (graph, count) =>
      list(count, (index) =>
        assert.equal(graph.read(policyTargets, `ns/policy-${index}`).references.length, 1),
      ),
  ),
  'Services of which selectors select one each': longList(
    1_000,
    (count) =>
      list(count, (index) => service(`s${index}`, [{ port: 80, appProtocol: 'mcp' }], { app: `a${index}` })),
    selectServices,
  ),
})
