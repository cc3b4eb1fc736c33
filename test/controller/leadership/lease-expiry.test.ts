import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LeaseExpiry } from '../../../src/controller/leadership/lease-expiry.ts'
import type { Lease } from '../../../src/controller/leadership/lease.ts'

const lease = (resourceVersion: string): Lease => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name: 'x', resourceVersion },
  // Another machine's clock: a year ago.
  spec: { holderIdentity: 'other', leaseDurationSeconds: 15, renewTime: '2025-01-01T00:00:00.000000Z' },
})

test('a lease expires its duration after it was last seen to change, whatever its own times say', () => {
  let now = 1_000
  const expiry = new LeaseExpiry(() => now)
  assert.equal(expiry.hasExpired(lease('1')), false)
  now += 15_000
  assert.equal(expiry.hasExpired(lease('1')), false)
  assert.equal(expiry.hasExpired(lease('2')), false)
  now += 15_000
  assert.equal(expiry.hasExpired(lease('2')), false)
  now += 1
  assert.equal(expiry.hasExpired(lease('2')), true)
})
