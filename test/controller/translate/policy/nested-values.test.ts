import assert from 'node:assert/strict'
import { test } from 'node:test'
import { resourcesOf } from '../../../../src/config/xds/resource-tree.ts'
import type { Graph } from '../../../../src/controller/graph/graph.ts'
import { gatewayPolicyResources } from '../../../../src/controller/translate/policy/policy-resources.ts'
import { proxyPolicyStatus } from '../../../../src/controller/translate/policy/proxy-policy-status.ts'
import { object, route } from '../../support/long-lists.ts'
import { conditionOf, namespaceGraph, put } from '../../support/namespace-graph.ts'
import { objectMeta, type PlainObject } from '../../support/plain-object.ts'

/*
 * JSON of a tenant that is nested so deep that comparing two versions of it fills the stack: nothing of the Gateway would
 * be updated, for anybody.
 */

/** Lists in lists, around a value. */
const nested = (levels: number, value: string): string => `${'['.repeat(levels)}${value}${']'.repeat(levels)}`

const policy = (name: string, fields: object): PlainObject =>
  object('ProxyPolicy', name, {
    targetRefs: [{ group: 'gateway.networking.k8s.io', kind: 'HTTPRoute', name: 'route' }],
    ...fields,
  })

const keys = (levels: number, value: string): PlainObject => {
  const entries = { a: `{"key":"a","metadata":{"a":${nested(levels, value)}}}`, b: 'b' }
  const data = Object.fromEntries(
    Object.entries(entries).map(([name, text]) => [name, Buffer.from(text).toString('base64')]),
  )
  return { ...object('Secret', 'keys', {}), metadata: objectMeta('keys'), data }
}

const defaults = (levels: number, value: string): PlainObject =>
  policy('defaults', {
    backend: { ai: { defaults: [{ field: 'a', value: JSON.parse(nested(levels, value)) as unknown }] } },
  })

const accepted = (graph: Graph, name: string): string | undefined =>
  conditionOf(graph.read(proxyPolicyStatus, `ns/${name}`)?.ancestors, 'Accepted')

const sent = (graph: Graph): readonly string[] =>
  resourcesOf(graph.read(gatewayPolicyResources, 'ns/gateway')).map(({ model }) => JSON.stringify(model))

test('values of policies that are nested very deep are refused, and hold up nothing else', () => {
  const graph = namespaceGraph([
    route({ matches: [] }),
    policy('keys', { traffic: { apiKeyAuthentication: { secretRef: { name: 'keys' } } } }),
    keys(90, '1'),
    defaults(90, '1'),
  ])
  const both = () => [accepted(graph, 'keys'), accepted(graph, 'defaults')]
  const valid = 'True Valid: Policy accepted'
  assert.deepEqual(both(), [valid, valid])
  for (const value of ['1', '2']) {
    put(graph, keys(3_000, value))
    put(graph, defaults(3_000, value))
    assert.deepEqual(both(), [
      'True PartiallyValid: traffic.apiKeyAuthentication: Secret keys: "a" has "metadata" that is nested more than 100 levels deep',
      'False Invalid: backend.ai: is nested more than 100 levels deep',
    ])
    assert.ok(sent(graph).some((text) => text.includes('"keys":[{"key":"b"}]')))
  }
})
