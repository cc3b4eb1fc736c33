import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readWatchedObject } from '../../../src/controller/streams/watched-object.ts'

test('of a pod only what endpoints need is kept', () => {
  const pod = {
    metadata: {
      name: 'a',
      namespace: 'ns',
      uid: 'u',
      resourceVersion: '1',
      labels: { app: 'model' },
      annotations: { large: 'x'.repeat(1_000) },
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'r', uid: 'r' }],
      creationTimestamp: '2026-01-01T00:00:00Z',
      deletionTimestamp: '2026-01-01T01:00:00Z',
    },
    spec: { nodeName: 'node-1', containers: [{ name: 'c', env: [{ name: 'KEY', value: 'secret' }] }] },
    status: {
      podIP: '10.0.0.1',
      podIPs: [{ ip: '10.0.0.1' }],
      phase: 'Running',
      containerStatuses: [{ name: 'c' }],
      conditions: [
        { type: 'Initialized', status: 'True' },
        { type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' },
      ],
    },
  }
  assert.deepEqual(readWatchedObject('Pod', pod), {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: 'a',
      namespace: 'ns',
      uid: 'u',
      resourceVersion: '1',
      deletionTimestamp: '2026-01-01T01:00:00Z',
      labels: { app: 'model' },
    },
    spec: { nodeName: 'node-1' },
    status: { podIP: '10.0.0.1', conditions: [{ type: 'Ready', status: 'True' }] },
  })
})

test('a pod without an address and conditions is read as well', () => {
  assert.deepEqual(readWatchedObject('Pod', { metadata: { name: 'a' } }), {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'a' },
    spec: {},
    status: { conditions: [] },
  })
})
