import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { parse } from 'yaml'

const read = (path: string): unknown => parse(readFileSync(`config/observability/${path}`, 'utf8'))

interface Collector {
  readonly service: {
    readonly extensions: readonly string[]
    readonly pipelines: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>
  }
  readonly [section: string]: object
}

test('the sample of the OpenTelemetry Collector defines what its pipelines use, and uses what it defines', () => {
  const collector = read('opentelemetry/collector.yaml') as Collector
  const used = new Set(collector.service.extensions.map((name) => `extensions/${name}`))
  for (const pipeline of Object.values(collector.service.pipelines))
    for (const [section, names] of Object.entries(pipeline))
      for (const name of names) used.add(`${section}/${name}`)
  const defined = ['extensions', 'receivers', 'processors', 'exporters'].flatMap((section) =>
    Object.keys(collector[section] ?? {}).map((name) => `${section}/${name}`),
  )
  assert.deepEqual([...used].toSorted(), defined.toSorted())
  assert.deepEqual(Object.keys(collector.service.pipelines), ['metrics', 'traces', 'logs'])
  const { processors } = collector.service.pipelines.metrics ?? {}
  assert.equal(processors?.[0], 'memory_limiter')
})

interface Vector {
  readonly sources: object
  readonly transforms: Readonly<
    Record<string, { readonly inputs: readonly string[]; readonly route?: object }>
  >
  readonly sinks: Readonly<Record<string, { readonly type: string; readonly inputs: readonly string[] }>>
}

test('the sample of Vector connects sources, transforms and sinks that exist', () => {
  const { sources, transforms, sinks } = read('vector/vector.yaml') as Vector
  const outputs = new Set([
    ...Object.keys(sources),
    ...Object.entries(transforms).flatMap(([name, { route }]) => [
      name,
      ...Object.keys(route ?? {}).map((branch) => `${name}.${branch}`),
    ]),
  ])
  const inputs = [...Object.values(transforms), ...Object.values(sinks)].flatMap(
    (component) => component.inputs,
  )
  for (const input of inputs) assert.ok(outputs.has(input), input)
  for (const source of Object.keys(sources)) assert.ok(inputs.includes(source), source)
})

test('alerts name what to do, with a summary and a severity', () => {
  const { groups } = read('prometheus/alerts.yml') as {
    groups: {
      rules: { alert: string; labels: { severity: string }; annotations: Record<string, string> }[]
    }[]
  }
  const alerts = groups.flatMap(({ rules }) => rules)
  assert.ok(alerts.length >= 16)
  for (const { alert, labels, annotations } of alerts) {
    assert.match(labels.severity, /^(critical|warning|info)$/, alert)
    assert.ok((annotations.summary ?? '').length > 20, alert)
    assert.ok((annotations.runbook ?? '').length > 40, alert)
  }
})

test('panels of dashboards have descriptions, units, and places that do not overlap', () => {
  for (const name of ['traffic', 'llm', 'mcp', 'runtime']) {
    const { panels } = read(`grafana/${name}.json`) as {
      panels: {
        type: string
        title: string
        description?: string
        gridPos: { x: number; y: number; w: number; h: number }
        fieldConfig?: { defaults: { unit?: string } }
        targets?: { legendFormat: string; expr: string }[]
      }[]
    }
    const taken = new Set<string>()
    for (const { type, title, description = '', gridPos, fieldConfig, targets = [] } of panels) {
      const { x, y, w, h } = gridPos
      assert.ok(x + w <= 24, title)
      for (let column = x; column < x + w; column++)
        for (let row = y; row < y + h; row++) {
          assert.ok(!taken.has(`${column} ${row}`), `${name}: ${title}`)
          taken.add(`${column} ${row}`)
        }
      if (type === 'row') continue
      assert.ok(description.length > 20, title)
      assert.ok(fieldConfig?.defaults.unit, title)
      for (const { expr } of targets) assert.doesNotMatch(expr, /%selector%|undefined/)
      assert.ok(targets.length > 0 && targets.every(({ legendFormat }) => legendFormat !== ''), title)
    }
  }
})
