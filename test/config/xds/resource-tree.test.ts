import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ResourceTree, resourcesOf, treeDifference } from '../../../src/config/xds/resource-tree.ts'
import type { XdsResource } from '../../../src/config/xds/xds-resource.ts'
import { replyRoute } from '../../support/xds/xds-server.ts'

const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((name) => replyRoute(name, name)) as [
  XdsResource,
  XdsResource,
  XdsResource,
  XdsResource,
]

test('the resources of a tree come in their order', () => {
  assert.deepEqual(resourcesOf([[a], [], [[b, [c]]], d]), [a, b, c, d])
  assert.deepEqual(resourcesOf(a), [a])
})

test('two trees differ in the parts that are other objects', () => {
  const kept = [b, c]
  const difference = (before: ResourceTree, now: ResourceTree) => {
    const { removed, added } = treeDifference(before, now)
    return [removed, added]
  }
  assert.deepEqual(difference([a, kept], [a, kept]), [[], []])
  assert.deepEqual(difference([a, kept], [d, kept]), [[a], [d]])
  assert.deepEqual(difference([a, kept], [kept]), [[a], []])
  assert.deepEqual(difference([kept], [a, kept, [d]]), [[], [a, d]])
  assert.deepEqual(difference([[a], kept], [[a], [b]]), [[c], []])
  assert.deepEqual(difference([a], [[a, b]]), [[a], [a, b]])
  assert.deepEqual(difference([a, kept], []), [[a, b, c], []])
})

test('a part that is the same object is not looked at', () => {
  const unread = new Proxy([a], {
    get: () => {
      throw new Error('was looked at')
    },
  })
  assert.deepEqual(treeDifference([unread, b], [unread, c]), { removed: [b], added: [c] })
})
