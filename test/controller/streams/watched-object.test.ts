import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readWatchedObject } from '../../../src/controller/streams/watched-object.ts'

const metadata = { namespace: 'ns', name: 'a', resourceVersion: '1' }

test('values of Secrets that no policy can mean are not kept', () => {
  const large = 'x'.repeat(16_385)
  const secret = {
    type: 'Opaque',
    metadata,
    data: { 'tls.crt': large, 'tls.key': 'aw==', 'ca.crt': 'YQ==', release: large, '.htaccess': 'eA==' },
  }
  assert.deepEqual(readWatchedObject('Secret', secret), {
    apiVersion: 'v1',
    kind: 'Secret',
    type: 'Opaque',
    metadata,
    data: { 'tls.crt': large, 'tls.key': 'aw==', 'ca.crt': 'YQ==', '.htaccess': 'eA==' },
    longKeys: ['release'],
  })
})

test('values of ConfigMaps that no policy can mean are not kept', () => {
  const text = 'x'.repeat(1_000_000)
  const dashboards = { metadata, data: { 'ca.crt': 'a', dashboard: text }, binaryData: { image: text } }
  assert.deepEqual(readWatchedObject('ConfigMap', dashboards), {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata,
    data: { 'ca.crt': 'a' },
    binaryData: {},
  })
  const binary = { metadata, binaryData: { 'ca.crt': 'YQ==' } }
  assert.deepEqual(readWatchedObject('ConfigMap', binary).binaryData, { 'ca.crt': 'YQ==' })
})

test('data that are no record of values are none', () => {
  for (const data of [null, 'text', 7, ['tls.crt']])
    assert.deepEqual(readWatchedObject('Secret', { metadata, data }).data, {}, String(data))
})
