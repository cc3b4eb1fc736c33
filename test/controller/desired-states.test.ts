import assert from 'node:assert/strict'
import { setImmediate } from 'node:timers/promises'
import { test } from 'node:test'
import { NEVER, Subject } from 'rxjs'
import { desiredStates } from '../../src/controller/desired-states.ts'
import type { Graph } from '../../src/controller/graph/graph.ts'
import { defineQuery } from '../../src/controller/graph/query.ts'
import type { InputKind, Inputs } from '../../src/controller/kinds/inputs.ts'
import { ObjectFeed } from '../../src/controller/streams/object-feed.ts'
import type { DeploymentPlan } from '../../src/controller/translate/deployment/deployment-plan.ts'
import { type DesiredState, desiredState } from '../../src/controller/translate/desired-state.ts'
import { translationSteps } from '../../src/controller/translate/translation-steps.ts'
import { goldenGraph } from './support/golden-objects.ts'
import { gateway, list, object } from './support/long-lists.ts'
import type { PlainObject } from './support/plain-object.ts'

const noPlan = defineQuery<DeploymentPlan | undefined>('noPlan', () => undefined)

const start = () => {
  const graph = goldenGraph([])
  const changed$ = new Subject<void>()
  const states: DesiredState[] = []
  const subscription = desiredStates({
    graph,
    // All kinds have been listed.
    feed: new ObjectFeed(graph, []),
    deploymentPlan: noPlan,
    changed$,
    deploymentResults$: NEVER,
    onTranslated: () => undefined,
    onFailed: ({ error }) => assert.fail(String(error)),
  }).subscribe((state) => states.push(state))
  const set = (one: PlainObject): void => {
    graph.set(one.kind as InputKind, `ns/${one.metadata.name}`, one as unknown as Inputs[InputKind])
    changed$.next()
  }
  graph.set('GatewayClass', 'agentgateway', {
    metadata: { name: 'agentgateway' },
    spec: { controllerName: 'agentgateway.dev/agentgateway' },
  } as unknown as Inputs['GatewayClass'])
  set(gateway)
  return {
    graph,
    states,
    set,
    change: () => changed$.next(),
    [Symbol.dispose]: () => subscription.unsubscribe(),
  }
}

const route = (name: string): PlainObject =>
  object('HTTPRoute', name, {
    parentRefs: [{ name: 'gateway' }],
    rules: list(16, (index) => ({ matches: [{ path: { value: `/${index}` } }] })),
  })

const routesOf = ({ statuses }: DesiredState): number =>
  statuses.filter(({ kind }) => kind === 'HTTPRoute').length

test('other work has its turn while many objects are translated, and what changes meanwhile counts', async () => {
  using control = start()
  for (const index of list(600, (one) => one)) control.set(route(`route-${index}`))
  while (control.graph.size === 0) await setImmediate()
  // Something has been computed, and nothing is said before all is.
  assert.ok(control.states.length < 1)
  control.set(route('late'))
  while (control.states.length === 0) await setImmediate()
  assert.equal(routesOf(control.states[0] as DesiredState), 601)
})

test('a change of a few objects is one translation', async () => {
  using control = start()
  control.set(route('a'))
  control.set(route('b'))
  while (control.graph.size === 0) await setImmediate()
  assert.deepEqual(control.states.map(routesOf), [2])
})

test('what was computed of objects that are gone is released once most of them are', async () => {
  using control = start()
  const names = list(20, (index) => `route-${index}`)
  for (const name of names) control.set(route(name))
  const sizeAfter = async (translations: number): Promise<number> => {
    while (control.states.length < translations) await setImmediate()
    return control.graph.size
  }
  const remove = (gone: readonly string[]): void => {
    for (const name of gone) control.graph.delete('HTTPRoute', `ns/${name}`)
    control.change()
  }
  const all = await sizeAfter(1)
  remove(names.slice(0, 1))
  assert.equal(await sizeAfter(2), all)
  remove(names.slice(1, 19))
  const few = await sizeAfter(3)
  assert.ok(few < all / 4, `${few} values of ${all}`)
})

/** A Gateway, and so many routes, each to a Service of its own. */
const graphOf = (count: number): Graph => {
  const { graph } = start()
  for (const index of list(count, (one) => one)) {
    const name = `s${index}`
    for (const one of [
      object('Service', name, { clusterIP: '10.96.0.1', ports: [{ port: 80 }] }),
      object('HTTPRoute', name, {
        parentRefs: [{ name: 'gateway' }],
        rules: [{ backendRefs: [{ name, port: 80 }] }],
      }),
    ])
      graph.set(one.kind as InputKind, `ns/${name}`, one as unknown as Inputs[InputKind])
  }
  return graph
}

test('nothing is left after the steps of a translation for each route and Service', () => {
  const left = (count: number): number => {
    const graph = graphOf(count)
    Array.from(translationSteps(graph))
    const before = graph.size
    desiredState(graph, noPlan)
    return graph.size - before
  }
  assert.equal(left(50) - left(5), 0)
})

test('no step of a translation computes more values where there are more routes', () => {
  const most = (count: number): number => {
    const graph = graphOf(count)
    let before = graph.size
    return Math.max(
      ...Array.from(translationSteps(graph), () => {
        const computed = graph.size - before
        before += computed
        return computed
      }),
    )
  }
  assert.equal(most(50), most(5))
})
