import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Http2Found, Http2Pool } from '../../../src/upstream/http/http2-pool.ts'
import type { Connect } from '../../../src/upstream/http/endpoint-agent.ts'

test('a pool of HTTP/2 connections closes when the one that is being opened has failed', async () => {
  const attempts: Parameters<Connect>[0][] = []
  const open: Connect = (connected) => attempts.push(connected)
  const pool = new Http2Pool({ open, idleTimeoutMs: 1_000, maxConnections: undefined, negotiated: false })
  const found: Parameters<Http2Found>[0][] = []
  pool.connection((one) => found.push(one))
  const closed = pool.close()
  const refused = new Error('refused')
  attempts[0]?.(refused, null)
  await closed
  assert.deepEqual(found, [refused])
})
