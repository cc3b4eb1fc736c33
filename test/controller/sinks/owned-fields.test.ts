import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hasFields } from '../../../src/controller/sinks/apply/has-fields.ts'
import { ownsMoreThan } from '../../../src/controller/sinks/apply/owned-fields.ts'

test('a live value covers what is wanted', async (t) => {
  const cases: readonly (readonly [string, unknown, unknown, boolean])[] = [
    ['defaults besides', { a: 1, b: 2 }, { a: 1 }, true],
    ['another value', { a: 1 }, { a: 2 }, false],
    ['a missing field', {}, { a: null }, false],
    ['undefined is not wanted', {}, { a: undefined }, true],
    ['lists with defaults in elements', { l: [{ p: 1, protocol: 'TCP' }] }, { l: [{ p: 1 }] }, true],
    ['longer lists', { l: [1, 2] }, { l: [1] }, false],
    ['another order', [1, 2], [2, 1], false],
    ['a list for an object', { a: [] }, { a: {} }, false],
    ['names of Object', {}, { constructor: {} }, false],
  ]
  for (const [name, live, wanted, expected] of cases)
    await t.test(name, () => assert.equal(hasFields(live, wanted), expected))
})

test('a manager owns more than it wants', async (t) => {
  const wanted = {
    metadata: { labels: { a: '1' } },
    spec: { ports: [{ port: 80 }, { port: 81, protocol: 'UDP' }], finalizers: ['x'] },
  }
  const owns = (fieldsV1: unknown, more: object = {}): boolean =>
    ownsMoreThan([{ manager: 'us', operation: 'Apply', fieldsV1, ...more }], 'us', wanted)
  const ports = (key: object, below: object = {}) => ({
    'f:spec': { 'f:ports': { [`k:${JSON.stringify(key)}`]: { '.': {}, 'f:port': {}, ...below } } },
  })
  const cases: readonly (readonly [string, boolean, boolean])[] = [
    ['just what is wanted', owns({ 'f:metadata': { 'f:labels': { '.': {}, 'f:a': {} } } }), false],
    ['a label more', owns({ 'f:metadata': { 'f:labels': { 'f:a': {}, 'f:b': {} } } }), true],
    ['an element by keys', owns(ports({ port: 81, protocol: 'UDP' })), false],
    ['an element by keys with defaults', owns(ports({ port: 80, protocol: 'TCP' })), false],
    ['an element more', owns(ports({ port: 82, protocol: 'TCP' })), true],
    ['a field of an element more', owns(ports({ port: 80, protocol: 'TCP' }, { 'f:name': {} })), true],
    ['an element of a set', owns({ 'f:spec': { 'f:finalizers': { 'v:"x"': {} } } }), false],
    ['an element of a set more', owns({ 'f:spec': { 'f:finalizers': { 'v:"y"': {} } } }), true],
    ['fields of another manager', owns({ 'f:data': {} }, { manager: 'kubectl' }), false],
    ['fields of an update', owns({ 'f:data': {} }, { operation: 'Update' }), false],
    ['fields of a status', owns({ 'f:data': {} }, { subresource: 'status' }), false],
  ]
  for (const [name, actual, expected] of cases) await t.test(name, () => assert.equal(actual, expected))
})
