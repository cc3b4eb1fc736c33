import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { McpAttributes } from '../../../src/model/mcp/mcp-attributes.ts'
import { openMetricsText } from '../../support/metrics-text.ts'
import type { RouteLabels } from '../../../src/model/resources/snapshot.ts'
import { McpMetrics } from '../../../src/sinks/metrics/mcp-metrics.ts'

const route: RouteLabels = {
  bind: 'b',
  gateway: 'g',
  listener: 'l',
  route: 'r',
  routeRule: undefined,
}

const call = (name: string, more: Partial<McpAttributes> = {}): McpAttributes => ({
  methodName: 'tools/call',
  kind: 'tool',
  target: 'files',
  tool: { target: 'files', name },
  isKnown: true,
  ...more,
})

const make = (limit = 100) => {
  const reported = { evicted: 0, overflowed: 0, replaced: 0 }
  const metrics = new McpMetrics({
    limit,
    format: 'classic',
    customNames: [],
    events: {
      evicted: (count) => (reported.evicted += count),
      overflowed: () => reported.overflowed++,
    },
    onLabelOverflow: () => reported.replaced++,
  })
  const count = (facts: McpAttributes, times = 1, custom = '', labels = route) => {
    for (let i = 0; i < times; i++) metrics.ended(labels, facts, custom)
  }
  /** The part before the labels of the route, and the count. */
  const lines = () =>
    openMetricsText(metrics.parts())
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => line.replace(/^agentgateway_mcp_requests_total\{|,bind=.*(?=} )|\n$/g, ''))
  return { count, lines, reported }
}

test('the metric of MCP requests', async (t) => {
  await t.test('counts by method, kind, server and name', () => {
    const { count, lines } = make()
    count(call('read'), 2)
    count(call('write'))
    count({ methodName: 'tools/list', kind: 'tool' })
    assert.deepEqual(lines(), [
      'method="tools/call",resource_type="tool",server="files",resource="read"} 2',
      'method="tools/call",resource_type="tool",server="files",resource="write"} 1',
      'method="tools/list",resource_type="tool",server="unknown",resource="unknown"} 1',
    ])
  })

  await t.test('has only names that a server has confirmed, and keeps them', () => {
    const { count, lines } = make()
    count(call('made up', { isKnown: false }), 3)
    count(call('read'))
    count(call('read', { isKnown: false }), 2)
    assert.deepEqual(lines(), [
      'method="tools/call",resource_type="tool",server="files",resource="unknown"} 3',
      'method="tools/call",resource_type="tool",server="files",resource="read"} 3',
    ])
  })

  await t.test('has only methods of MCP', () => {
    const { count, lines } = make()
    for (let i = 0; i < 50; i++) count({ methodName: `made/up-${i}` })
    count({ methodName: 'notifications/initialized' })
    assert.deepEqual(lines(), [
      'method="other",resource_type="unknown",server="unknown",resource="unknown"} 50',
      'method="notifications/initialized",resource_type="unknown",server="unknown",resource="unknown"} 1',
    ])
  })

  await t.test(
    'does not name tasks, nor more than 500 resources of a server, nor credentials in them',
    () => {
      const { count, lines } = make(10_000)
      for (let i = 0; i < 700; i++)
        count(
          call('', {
            kind: 'resource',
            tool: undefined,
            resource: { name: `db://x?token=secret-${i}&n=${i}` },
          }),
        )
      count(call('', { kind: 'task', tool: undefined, task: { name: 'one of many' } }))
      const all = lines()
      assert.equal(all.length, 502)
      assert.ok(all[0]?.includes('resource="db://x?token=<redacted>&n=0"} 1'))
      assert.ok(all[500]?.includes('resource="overflow"} 200'))
      assert.ok(all[501]?.includes('resource_type="task",server="files",resource="unknown"'))
    },
  )

  await t.test('counts under overflow beyond the limit, and logs that once', () => {
    const { count, lines, reported } = make(2)
    for (const name of ['a', 'b', 'c', 'c', 'd']) count(call(name))
    const all = lines()
    assert.equal(all.length, 3)
    assert.equal(
      all[2],
      'method="overflow",resource_type="overflow",server="overflow",resource="overflow"} 3',
    )
    assert.deepEqual(reported, { evicted: 0, overflowed: 3, replaced: 0 })
  })

  await t.test('removes series that are unused for sixty scrapes', () => {
    const { count, lines, reported } = make(2)
    count(call('a'))
    count(call('b'))
    for (let i = 0; i < 60; i++) {
      lines()
      count(call('b'))
    }
    count(call('c'))
    count(call('a'))
    assert.deepEqual(
      lines().map((line) => line.split('resource=')[1]),
      ['"b"} 61', '"c"} 1', '"overflow"} 1'],
    )
    assert.equal(reported.evicted, 1)
  })

  await t.test('distinguishes user labels and routes', () => {
    const { count, lines } = make()
    count(call('a'), 1, ',team="red"')
    count(call('a'), 1, ',team="blue"')
    count(call('a'), 1, '', { ...route, route: 'other' })
    count(call('a'), 1, '', { ...route })
    count(call('a'))
    assert.deepEqual(
      lines().map((line) => line.split('} ')[1]),
      ['1', '1', '1', '2'],
    )
  })
})
