import assert from 'node:assert/strict'
import { test } from 'node:test'
import { defineQuery } from '../../../src/controller/graph/query.ts'
import type { InputKind, Inputs } from '../../../src/controller/kinds/inputs.ts'
import type { DeploymentPlan } from '../../../src/controller/translate/deployment/deployment-plan.ts'
import { desiredState } from '../../../src/controller/translate/desired-state.ts'
import { cpuTimeMs } from '../../support/cpu-time.ts'
import { goldenGraph } from '../support/golden-objects.ts'
import { objectMeta, type PlainObject } from '../support/plain-object.ts'

/*
 * Lists that are longer than definitions allow, which may be old, and lists that many objects make together: the time
 * that they take grows with them, and not with their square.
 */

const object = (kind: string, name: string, spec: object): PlainObject => ({
  kind,
  metadata: objectMeta(name),
  spec,
})

const list = <T>(count: number, item: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => item(index))

const gateway = object('Gateway', 'gateway', {
  gatewayClassName: 'agentgateway',
  allowedListeners: { namespaces: { from: 'All' } },
  listeners: [{ name: 'http', port: 80, protocol: 'HTTP' }],
})

const route = (rule: object): PlainObject =>
  object('HTTPRoute', 'route', { parentRefs: [{ name: 'gateway' }], rules: [rule] })

const matching = (name: 'headers' | 'queryParams', count: number): PlainObject =>
  route({ matches: [{ [name]: list(count, (index) => ({ name: `x-${index}`, value: 'a' })) }] })

const cases: Readonly<Record<string, (count: number) => readonly PlainObject[]>> = {
  'ListenerSets of a Gateway': (count) =>
    list(count, (index) =>
      object('ListenerSet', `set-${index}`, {
        parentRef: { name: 'gateway' },
        listeners: [{ name: 'one', port: index + 1000, protocol: 'HTTP' }],
      }),
    ),
  'BackendTLSPolicies of a Service': (count) => [
    object('Service', 'web', { clusterIP: '10.96.0.1', ports: [{ port: 80 }] }),
    route({ backendRefs: [{ name: 'web', port: 80 }] }),
    ...list(count, (index) =>
      object('BackendTLSPolicy', `tls-${index}`, {
        targetRefs: [{ group: '', kind: 'Service', name: 'web' }],
        validation: { hostname: 'a.example', wellKnownCACertificates: 'System' },
      }),
    ),
  ],
  'header matches of a rule': (count) => [matching('headers', count)],
  'query matches of a rule': (count) => [matching('queryParams', count)],
}

const noPlan = defineQuery<DeploymentPlan | undefined>('noPlan', () => undefined)

/** CPU time of a translation. */
const tookMs = (objects: readonly PlainObject[]): number => {
  const graph = goldenGraph([])
  graph.set('GatewayClass', 'agentgateway', {
    metadata: { name: 'agentgateway' },
    spec: { controllerName: 'agentgateway.dev/agentgateway' },
  } as unknown as Inputs['GatewayClass'])
  for (const one of [gateway, ...objects])
    graph.set(one.kind as InputKind, `ns/${one.metadata.name}`, one as unknown as Inputs[InputKind])
  const begin = cpuTimeMs()
  const { failures } = desiredState(graph, noPlan)
  const took = cpuTimeMs() - begin
  assert.deepEqual(failures, [])
  return took
}

for (const [name, make] of Object.entries(cases))
  test(`${name}: four times as many take less than eight times as long`, () => {
    const best = (count: number): number => Math.min(...list(3, () => tookMs(make(count))))
    best(100)
    const [few, many] = [best(2_000), best(8_000)]
    // The smallest times are those of the clock.
    assert.ok(many < 8 * Math.max(few, 10), `${few} ms, then ${many} ms`)
  })
