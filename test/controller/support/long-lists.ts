import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Graph } from '../../../src/controller/graph/graph.ts'
import { defineQuery } from '../../../src/controller/graph/query.ts'
import type { InputKind, Inputs } from '../../../src/controller/kinds/inputs.ts'
import type { DeploymentPlan } from '../../../src/controller/translate/deployment/deployment-plan.ts'
import { desiredState } from '../../../src/controller/translate/desired-state.ts'
import { assertGrowth, cpuTimeMs } from '../../support/cpu-time.ts'
import { goldenGraph } from './golden-objects.ts'
import { objectMeta, type PlainObject } from './plain-object.ts'

/*
 * Lists that are longer than definitions allow, which may be old, and lists that many objects make together: the time
 * that they take grows with them, and not with their square.
 */

/** An object of the namespace `ns`. */
export const object = (kind: string, name: string, spec: object, labels = {}): PlainObject => ({
  kind,
  metadata: { ...objectMeta(name), labels } as PlainObject['metadata'],
  spec,
})

/** So many items. */
export const list = <T>(count: number, item: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => item(index))

/** The Gateway of all translations, unless another one has its name. */
export const gateway = object('Gateway', 'gateway', {
  gatewayClassName: 'agentgateway',
  allowedListeners: { namespaces: { from: 'All' } },
  listeners: [
    { name: 'http', port: 80, protocol: 'HTTP' },
    { name: 'tcp', port: 81, protocol: 'TCP' },
  ],
})

/** A route of one rule. */
export const route = (rule: object): PlainObject =>
  object('HTTPRoute', 'route', { parentRefs: [{ name: 'gateway' }], rules: [rule] })

/** A Service. */
export const service = (name: string, ports: readonly object[] = [{ port: 80 }], labels = {}): PlainObject =>
  object('Service', name, { clusterIP: '10.96.0.1', ports }, labels)

/** So many ports with names. */
export const ports = (count: number): readonly { readonly name: string; readonly port: number }[] =>
  list(count, (index) => ({ name: `p${index}`, port: index + 1 }))

/** A BackendTLSPolicy. */
export const tlsPolicy = (name: string, targetRefs: readonly object[]): PlainObject =>
  object('BackendTLSPolicy', name, {
    targetRefs,
    validation: { hostname: 'a.example', wellKnownCACertificates: 'System' },
  })

/** A Service, or a port of it, as the target of a BackendTLSPolicy. */
export const tlsTarget = (name: string, sectionName?: string) => ({
  group: '',
  kind: 'Service',
  name,
  sectionName,
})

/** A list whose length varies. */
export interface LongList {
  /** How many of them take more than the precision of the clock. */
  readonly few: number
  readonly objects: (count: number) => readonly PlainObject[]
  /** What is measured; a whole translation by default. */
  readonly read?: (graph: Graph, count: number) => unknown
}

/** A long list, by the objects that it consists of. */
export const longList = (few: number, objects: LongList['objects'], read?: LongList['read']): LongList => ({
  few,
  objects,
  ...(read && { read }),
})

const noPlan = defineQuery<DeploymentPlan | undefined>('noPlan', () => undefined)

const translate = (graph: Graph): void => assert.deepEqual(desiredState(graph, noPlan).failures, [])

/** CPU time of a translation. */
const tookMs = ({ objects, read = translate }: LongList, count: number): number => {
  const graph = goldenGraph([])
  graph.set('GatewayClass', 'agentgateway', {
    metadata: { name: 'agentgateway' },
    spec: { controllerName: 'agentgateway.dev/agentgateway' },
  } as unknown as Inputs['GatewayClass'])
  for (const one of [gateway, ...objects(count)])
    graph.set(one.kind as InputKind, `ns/${one.metadata.name}`, one as unknown as Inputs[InputKind])
  const begin = cpuTimeMs()
  read(graph, count)
  return cpuTimeMs() - begin
}

/** Tests of lists, by what they are lists of. */
export const testLongLists = (cases: Readonly<Record<string, LongList>>): void => {
  for (const [name, one] of Object.entries(cases))
    void test(`${name}: four times as many take less than ten times as long`, () => {
      tookMs(one, 100)
      assertGrowth((count) => tookMs(one, count), { few: one.few, many: 4 * one.few, times: 10 })
    })
}
