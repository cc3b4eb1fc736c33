import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { format, resolveConfig } from 'prettier'
import { parse, stringify } from 'yaml'
import { internalUpstreams } from '../../src/admin/internal-upstream.ts'
import { compileConfiguration } from '../../src/config/compile.ts'
import { parseConfig } from '../../src/config/parse.ts'
import { type ResourceTree, resourcesOf } from '../../src/config/xds/resource-tree.ts'
import { type XdsResource, xdsName } from '../../src/config/xds/xds-resource.ts'
import { XdsState } from '../../src/config/xds/xds-state.ts'
import type { Query } from '../../src/controller/graph/query.ts'
import type { Kind } from '../../src/controller/kinds/kinds.ts'
import { gatewayBackendResources } from '../../src/controller/translate/backend/backend-resources.ts'
import { proxyBackendStatus } from '../../src/controller/translate/backend/proxy-backend-status.ts'
import { backendTlsPolicyStatus } from '../../src/controller/translate/backend-tls/backend-tls-policy-status.ts'
import { gatewayRouteResources } from '../../src/controller/translate/gateway-route-resources.ts'
import { gatewayClassStatus } from '../../src/controller/translate/gateway-class/gateway-class-status.ts'
import { gatewayStatus } from '../../src/controller/translate/gateway/gateway-status.ts'
import { inferencePoolStatus } from '../../src/controller/translate/inference/pool-status.ts'
import { gatewayListenerResources } from '../../src/controller/translate/listener/gateway-listener-resources.ts'
import { listenerSetStatus } from '../../src/controller/translate/listener-set/listener-set-status.ts'
import { gatewayModelResources } from '../../src/controller/translate/model/model-resources.ts'
import { proxyModelStatus } from '../../src/controller/translate/model/proxy-model-status.ts'
import { gatewayPolicyResources } from '../../src/controller/translate/policy/policy-resources.ts'
import { proxyPolicyStatus } from '../../src/controller/translate/policy/proxy-policy-status.ts'
import {
  grpcRouteStatus,
  httpRouteStatus,
  tcpRouteStatus,
  udpRouteStatus,
  tlsRouteStatus,
} from '../../src/controller/translate/route/route-status.ts'
import { faultReply } from '../../src/pipeline/fault-reply.ts'
import { Registry } from '../../src/upstream/registry.ts'
import { goldenCertificates } from './support/golden-certificates.ts'
import { goldenConfig } from './support/golden-config.ts'
import { goldenGraph, type GoldenObject, readGoldenObjects } from './support/golden-objects.ts'

/*
 * Each folder is a case: `in.yaml` has objects, `gateway-<namespace>-<name>.json` the resources that the proxies of a
 * Gateway get, and `status.yaml` the statuses of the case's objects. After a change that is meant, write them with
 * `UPDATE_GOLDEN=1` and read the difference.
 */

/** The resources of a Gateway. */
const resourceQueries: readonly Query<ResourceTree>[] = [
  gatewayListenerResources,
  gatewayRouteResources,
  gatewayBackendResources,
  gatewayPolicyResources,
  gatewayModelResources,
]

const statusQueries: Partial<Record<Kind, Query<unknown>>> = {
  GatewayClass: gatewayClassStatus,
  Gateway: gatewayStatus,
  ListenerSet: listenerSetStatus,
  HTTPRoute: httpRouteStatus,
  GRPCRoute: grpcRouteStatus,
  TLSRoute: tlsRouteStatus,
  TCPRoute: tcpRouteStatus,
  UDPRoute: udpRouteStatus,
  BackendTLSPolicy: backendTlsPolicyStatus,
  ProxyPolicy: proxyPolicyStatus,
  InferencePool: inferencePoolStatus,
  ProxyBackend: proxyBackendStatus,
  ProxyModel: proxyModelStatus,
}

const root = join(import.meta.dirname, 'golden')
const certificates = goldenCertificates()
after(() => {
  certificates[Symbol.dispose]()
})
const isUpdate = process.env.UPDATE_GOLDEN === '1'

/** Contents by the names of files. */
type Outputs = Readonly<Record<string, unknown>>

const translate = (common: readonly GoldenObject[], own: readonly GoldenObject[]): Outputs => {
  const graph = goldenGraph([...common, ...own])
  const outputs: Record<string, unknown> = {}
  const statuses: Record<string, Record<string, unknown>> = {}
  for (const { kind, key } of own.toSorted((a, b) => (a.key < b.key ? -1 : 1))) {
    const query = statusQueries[kind as Kind]
    const status = query && graph.read(query, key)
    if (status !== undefined) (statuses[kind] ??= {})[key] = status
    if (kind !== 'Gateway' || status === undefined) continue
    const resources = resourceQueries.flatMap((queryOfGateway) =>
      resourcesOf(graph.read(queryOfGateway, key)),
    )
    assert.doesNotThrow(() => {
      compile(goldenConfig(resources), key)
    })
    assert.deepEqual(refusedByProxies(resources), [])
    // Versions are hashes of what follows.
    outputs[`gateway-${key.replace('/', '-')}.json`] = resources.map(({ version: _, ...rest }) => rest)
  }
  outputs['status.yaml'] = Object.fromEntries(Object.entries(statuses).sort(([a], [b]) => (a < b ? -1 : 1)))
  return JSON.parse(JSON.stringify(outputs), (_, value: unknown) =>
    typeof value === 'string' ? certificates.mask(value) : value,
  ) as Outputs
}

const registry = new Registry()
after(() => registry.close())

/** A proxy makes its operators of what it gets: what is valid and cannot be compiled stops it all the same. */
const compile = (text: string, name: string): void => {
  compileConfiguration(parseConfig(text, name, {}), {
    registry,
    rescuer: faultReply(),
    internal: internalUpstreams([], () => undefined),
  })
}

const { shared } = parseConfig('{}', 'gateway.yaml', {})

const refusedByProxies = (resources: readonly XdsResource[]): readonly unknown[] =>
  new XdsState(shared).apply({
    resources: resources.map((one) => ({ ...one, name: xdsName(one), model: JSON.stringify(one.model) })),
    removed: [],
  })

const read = (folder: string): Outputs =>
  Object.fromEntries(
    readdirSync(folder)
      .filter((name) => name !== 'in.yaml')
      .map((name) => [name, parse(readFileSync(join(folder, name), 'utf8'))]),
  )

const write = async (folder: string, outputs: Outputs): Promise<void> => {
  for (const name of readdirSync(folder)) if (name !== 'in.yaml') rmSync(join(folder, name))
  for (const [name, content] of Object.entries(outputs)) {
    const filepath = join(folder, name)
    const text = name.endsWith('.json') ? JSON.stringify(content, null, 2) : stringify(content)
    writeFileSync(filepath, await format(text, { ...(await resolveConfig(filepath)), filepath }))
  }
}

describe('translation of', () => {
  const common = readGoldenObjects(readFileSync(join(root, 'cluster.yaml'), 'utf8'), (text) => text)
  for (const name of readdirSync(root).sort()) {
    const folder = join(root, name)
    if (!existsSync(join(folder, 'in.yaml'))) continue
    test(name, async () => {
      const own = readGoldenObjects(readFileSync(join(folder, 'in.yaml'), 'utf8'), (text) =>
        certificates.fill(text),
      )
      const outputs = translate(common, own)
      assert.deepEqual(translate(common, own.toReversed()), outputs, 'depends on the order of objects')
      if (isUpdate) await write(folder, outputs)
      assert.deepEqual(read(folder), outputs)
    })
  }
})
