import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dependenciesReport } from '../../src/admin/reports/dependencies-report.ts'
import { endpointsReport } from '../../src/admin/reports/endpoints-report.ts'
import { mcpTargetsReport } from '../../src/admin/reports/mcp-targets-report.ts'
import { type ReloadsReport, reloadsReport } from '../../src/admin/reports/reloads-report.ts'
import type { McpTargetStatus } from '../../src/model/mcp/mcp-status.ts'
import type { EndpointStatus } from '../../src/model/resources/endpoint-status.ts'

const healthy: EndpointStatus = {
  backend: '/shop',
  endpoint: '10.0.0.1:80',
  isSupervised: true,
  state: 'healthy',
  reason: undefined,
  sinceMs: 1,
  untilMs: undefined,
  score: 1,
  pending: 2,
  requests: 30,
  failures: 0,
  consecutiveFailures: 0,
  evictions: 0,
  latencyMs: 10,
}
const evicted: EndpointStatus = {
  ...healthy,
  state: 'evicted',
  reason: 'status 503',
  sinceMs: 5,
  untilMs: 9,
  score: 0.2,
  pending: 1,
  requests: 10,
  failures: 4,
  consecutiveFailures: 3,
  evictions: 1,
  latencyMs: 50,
}

test('reports of several processes', async (t) => {
  await t.test('survive being sent from one process to another', () => {
    assert.deepEqual(structuredClone(evicted), evicted)
  })

  await t.test('of endpoints add their counts, weigh averages by requests, and show the worst state', () => {
    const report = endpointsReport(() => [])
    const other = { ...healthy, endpoint: '10.0.0.2:80', requests: 0, latencyMs: undefined }
    const [first, second, ...more] = report.merge([[healthy], [evicted, other]])
    assert.deepEqual(first, {
      ...evicted,
      score: 0.8,
      pending: 3,
      requests: 40,
      failures: 4,
      evictions: 1,
      latencyMs: 20,
    })
    assert.deepEqual([second, more], [other, []])
    assert.deepEqual(report.merge([[evicted], [healthy]])[0], first)
  })

  await t.test('of one process are not changed', () => {
    const only = [healthy, evicted]
    assert.equal(endpointsReport(() => []).merge([only]), only)
  })

  await t.test('of MCP servers add calls and children, and are failing if one process cannot use it', () => {
    const well: McpTargetStatus = {
      ...{ backend: '/mcp', target: 'files', state: 'well', error: undefined, sinceMs: 1 },
      ...{ revision: '2025-11-25', legacy: true, modern: undefined, children: 2 },
      ...{ requests: 3, failures: 0, latencyMs: 4, collisions: ['tool a'] },
    }
    const failing: McpTargetStatus = {
      ...well,
      ...{ state: 'failing', error: 'refused', revision: undefined, children: 1 },
      ...{ requests: 1, failures: 1, latencyMs: undefined, collisions: ['tool b'] },
    }
    assert.deepEqual(mcpTargetsReport(() => []).merge([[well], [failing]]), [
      {
        ...failing,
        ...{ revision: '2025-11-25', children: 3, requests: 4, failures: 1, latencyMs: 4 },
        collisions: ['tool a', 'tool b'],
      },
    ])
  })

  await t.test('of dependencies show what a process lacks', () => {
    const ready = { name: 'jwks a', required: true, state: 'ready', respondedAtMs: 7 } as const
    const pending = { name: 'jwks a', required: true, state: 'pending', error: 'refused' } as const
    const other = { name: 'jwks 0', required: false, state: 'ready' } as const
    assert.deepEqual(dependenciesReport(() => []).merge([[ready], [pending, other]]), [
      other,
      { ...pending, respondedAtMs: 7 },
    ])
  })

  await t.test('of reloads show the last one, and which configurations are in force', () => {
    const inForce = { hash: 'b', file: 'gw.yaml', since: '2026-01-02T00:00:02Z', processes: 1 }
    const lastReload = (at: string) => ({
      ...{ at, file: 'gw.yaml', oldHash: 'a', newHash: 'b', restartRequired: [] },
      changes: { added: [], removed: [], changed: [], omitted: 0 },
    })
    const one: ReloadsReport = { inForce: [inForce], lastReload: lastReload('2026-01-02T00:00:02Z') }
    const two: ReloadsReport = {
      inForce: [{ ...inForce, since: '2026-01-02T00:00:03Z' }],
      lastReload: lastReload('2026-01-02T00:00:03Z'),
      lastFailure: { at: '2026-01-01T00:00:00Z', file: 'gw.yaml', error: 'wrong' },
    }
    const late: ReloadsReport = { inForce: [{ ...inForce, hash: 'a' }] }
    const merged = reloadsReport(() => Promise.resolve(one)).merge([one, late, two])
    assert.deepEqual(merged.inForce, [
      { ...inForce, processes: 2 },
      { ...inForce, hash: 'a' },
    ])
    assert.deepEqual([merged.lastReload, merged.lastFailure], [two.lastReload, two.lastFailure])
  })
})
