import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ResourceSets } from '../../../../src/controller/sinks/xds/resource-sets.ts'
import { replyRoute } from '../../../support/xds/xds-server.ts'

const GATEWAY = 'default/web'
const nameOf = (route: string) => `route/HTTPRoute/default/${route}/00`

/** Sets, and what their followers are told. */
const followedSets = () => {
  const sets = new ResourceSets()
  const changes: string[][] = []
  sets.follow(GATEWAY, (names) => changes.push([...names]))
  return { sets, changes }
}

test('what changes is told by name, and nothing else', () => {
  const { sets, changes } = followedSets()
  const rest = [replyRoute('b', 'b'), replyRoute('c', 'c')]
  sets.set(GATEWAY, [[replyRoute('a', 'a')], rest])
  sets.synced()
  sets.set(GATEWAY, [[replyRoute('a', 'changed')], rest])
  sets.synced()
  sets.set(GATEWAY, [[], rest])
  sets.synced()
  sets.set(GATEWAY, [rest])
  sets.synced()
  assert.deepEqual(changes, [['a', 'b', 'c'].map(nameOf), [nameOf('a')], [nameOf('a')]])
  assert.deepEqual([...sets.of(GATEWAY).keys()], ['b', 'c'].map(nameOf))
})

test('equal contents in another object, or in another part, are no change', () => {
  const { sets, changes } = followedSets()
  sets.set(GATEWAY, [[replyRoute('a', 'a'), replyRoute('b', 'b')]])
  sets.synced()
  sets.set(GATEWAY, [[replyRoute('a', 'a')], [replyRoute('b', 'b')]])
  sets.synced()
  assert.equal(changes.length, 1)
  assert.deepEqual([...sets.of(GATEWAY).keys()], ['a', 'b'].map(nameOf))
})

test('of several changes before a publication, the last one counts', () => {
  const { sets, changes } = followedSets()
  sets.set(GATEWAY, [replyRoute('a', 'a')])
  sets.synced()
  sets.set(GATEWAY, [replyRoute('b', 'b')])
  sets.set(GATEWAY, [replyRoute('a', 'a'), replyRoute('c', 'c')])
  sets.synced()
  assert.deepEqual(changes.at(-1), [nameOf('c')])
})

test('a gateway that is gone has nothing, and may come back', () => {
  const { sets, changes } = followedSets()
  sets.set(GATEWAY, [replyRoute('a', 'a')])
  sets.synced()
  sets.set(GATEWAY, undefined)
  sets.synced()
  assert.deepEqual([sets.of(GATEWAY).size, sets.report()], [0, {}])
  sets.set(GATEWAY, [replyRoute('a', 'a')])
  sets.synced()
  assert.deepEqual(changes, [[nameOf('a')], [nameOf('a')], [nameOf('a')]])
})
