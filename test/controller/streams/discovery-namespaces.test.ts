import assert from 'node:assert/strict'
import { test } from 'node:test'
import { from, toArray } from 'rxjs'
import type { LabelSelector } from '../../../src/controller/kinds/object.ts'
import type { Change } from '../../../src/controller/streams/change.ts'
import { inDiscoveryNamespaces } from '../../../src/controller/streams/discovery-namespaces.ts'
import { gatewayObject, namespaceObject } from '../support/objects.ts'

const namespace = (name: string, labels: Record<string, string> = {}): Change => ({
  type: 'set',
  kind: 'Namespace',
  key: name,
  object: namespaceObject(name, labels),
})
const gateway = (key: string, type: 'set' | 'deleted' = 'set'): Change => ({
  type,
  kind: 'Gateway',
  key,
  object: gatewayObject(key, '1'),
})
const synced = (kind: 'Namespace' | 'Gateway'): Change => ({ type: 'synced', kind })
const team = { matchLabels: { team: 'a' } }

const filtered = (selectors: readonly LabelSelector[], changes: readonly Change[]): readonly string[] => {
  let seen: readonly string[] = []
  from(changes)
    .pipe(inDiscoveryNamespaces(selectors), toArray())
    .subscribe((all) => {
      seen = all.map((change) =>
        change.type === 'synced' ? `synced ${change.kind}` : `${change.type} ${change.kind} ${change.key}`,
      )
    })
  return seen
}

test('passes everything without selectors', () => {
  assert.deepEqual(filtered([], [gateway('x/a'), synced('Gateway')]), ['set Gateway x/a', 'synced Gateway'])
})

test('passes objects of selected namespaces, and all namespaces', () => {
  const changes = [namespace('x', { team: 'a' }), namespace('y'), gateway('x/a'), gateway('y/b')]
  assert.deepEqual(filtered([team], changes), ['set Namespace x', 'set Namespace y', 'set Gateway x/a'])
})

test('holds objects back until their namespace is known, and what is complete until all are', () => {
  const changes = [gateway('x/a'), synced('Gateway'), namespace('x', { team: 'a' }), synced('Namespace')]
  assert.deepEqual(filtered([team], changes), [
    'set Namespace x',
    'set Gateway x/a',
    'synced Namespace',
    'synced Gateway',
  ])
})

test('lets objects appear and vanish with the labels of their namespace', () => {
  const changes = [
    namespace('x'),
    gateway('x/a'),
    gateway('x/b'),
    gateway('x/b', 'deleted'),
    namespace('x', { team: 'a' }),
    namespace('x', { team: 'a', more: 'labels' }),
    namespace('x', { team: 'b' }),
    gateway('x/a', 'deleted'),
  ]
  assert.deepEqual(filtered([team], changes), [
    'set Namespace x',
    'set Namespace x',
    'set Gateway x/a',
    'set Namespace x',
    'set Namespace x',
    'deleted Gateway x/a',
  ])
})

test('takes objects away before their namespace', () => {
  const gone = { ...namespace('x'), type: 'deleted' } as Change
  assert.deepEqual(filtered([team], [namespace('x', { team: 'a' }), gateway('x/a'), gone]).slice(2), [
    'deleted Gateway x/a',
    'deleted Namespace x',
  ])
})

test('needs one selector of several, and all parts of it', async (t) => {
  const passes = (selectors: readonly LabelSelector[], labels: Record<string, string>): boolean =>
    filtered(selectors, [namespace('x', labels), gateway('x/a')]).length === 2
  const expression = (
    operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist',
    ...values: readonly string[]
  ): readonly LabelSelector[] => [{ matchExpressions: [{ key: 'team', operator, values }] }]
  const cases: readonly (readonly [string, readonly LabelSelector[], Record<string, string>, boolean])[] = [
    ['the second selector', [team, { matchLabels: { env: 'b' } }], { env: 'b' }, true],
    ['neither', [team, { matchLabels: { env: 'b' } }], { env: 'c' }, false],
    ['half of one', [{ matchLabels: { team: 'a', env: 'b' } }], { team: 'a' }, false],
    ['labels without expressions', [{ ...team, ...expression('Exists')[0] }], { team: 'b' }, false],
    ['In', expression('In', 'a', 'b'), { team: 'b' }, true],
    ['In without the label', expression('In', 'a'), {}, false],
    ['NotIn without the label', expression('NotIn', 'a'), {}, true],
    ['NotIn with the value', expression('NotIn', 'a'), { team: 'a' }, false],
    ['Exists', expression('Exists'), { team: '' }, true],
    ['DoesNotExist', expression('DoesNotExist'), { team: '' }, false],
    ['an empty selector', [{}], {}, true],
    ['names of Object', [{ matchExpressions: [{ key: 'constructor', operator: 'Exists' }] }], {}, false],
  ]
  for (const [name, selectors, labels, expected] of cases)
    await t.test(name, () => assert.equal(passes(selectors, labels), expected))
})
