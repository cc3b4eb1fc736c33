import assert from 'node:assert/strict'
import { test } from 'node:test'
import { labelPairs, labelText } from '../../../../src/sinks/metrics/exposition/label-text.ts'
import { metricsText, type TextFormat } from '../../../../src/sinks/metrics/exposition/text.ts'
import type { FamilyPart } from '../../../../src/sinks/metrics/report/metrics-report.ts'

const trace = '0af7651916cd43dd8448eb211c80319c'
const report: readonly FamilyPart[] = [
  { name: 'build', type: 'info', help: 'b', merge: 'first', series: [{ labels: 'tag="1"', value: 1 }] },
  {
    name: 'sent_bytes',
    type: 'counter',
    help: 'a "b" \\ \n',
    merge: 'sum',
    series: [{ labels: '', value: 2 }],
  },
  { name: 'sent_bytes', type: 'counter', help: '', merge: 'sum', series: [{ labels: 'a="1"', value: 3 }] },
  { name: 'temperature', type: 'gauge', help: 't', merge: 'sum', series: [{ labels: '', value: Infinity }] },
  { name: 'odd', type: 'unknown', help: 'o', merge: 'sum', series: [{ labels: '', value: NaN }] },
  {
    ...{ name: 'took_seconds', type: 'histogram', help: 'h', merge: 'sum' },
    series: [
      {
        ...{ labels: 'a="1"', count: 3, sum: 2.5, bounds: [0.00005, 1], counts: [1, 0, 2] },
        exemplars: [undefined, undefined, { traceId: trace, value: 2, atSeconds: 1700000000.5 }],
      },
    ],
  },
  {
    ...{ name: 'old', type: 'summary', help: 's', merge: 'sum' },
    series: [{ labels: '', count: 2, sum: 3, quantiles: [[0.5, 1]] }],
  },
]
const text = (format: TextFormat) => [...metricsText(report, format)].join('')

test('OpenMetrics text has names without suffix in its metadata, units, exemplars, and an end', () => {
  assert.equal(
    text('openMetrics'),
    `# HELP build b
# TYPE build info
build_info{tag="1"} 1
# HELP sent_bytes a \\"b\\" \\\\ \\n
# TYPE sent_bytes counter
# UNIT sent_bytes bytes
sent_bytes_total 2
sent_bytes_total{a="1"} 3
# HELP temperature t
# TYPE temperature gauge
temperature +Inf
# HELP odd o
# TYPE odd unknown
odd NaN
# HELP took_seconds h
# TYPE took_seconds histogram
# UNIT took_seconds seconds
took_seconds_sum{a="1"} 2.5
took_seconds_count{a="1"} 3
took_seconds_bucket{le="0.00005",a="1"} 1
took_seconds_bucket{le="1.0",a="1"} 1
took_seconds_bucket{le="+Inf",a="1"} 3 # {trace_id="${trace}"} 2 1700000000.500
# HELP old s
# TYPE old summary
old{quantile="0.5"} 1
old_sum 3
old_count 2
# EOF
`,
  )
})

test('the text format of Prometheus has the names of the samples, and neither units, exemplars nor an end', () => {
  assert.equal(
    text('prometheus'),
    `# HELP build_info b
# TYPE build_info gauge
build_info{tag="1"} 1
# HELP sent_bytes_total a "b" \\\\ \\n
# TYPE sent_bytes_total counter
sent_bytes_total 2
sent_bytes_total{a="1"} 3
# HELP temperature t
# TYPE temperature gauge
temperature +Inf
# HELP odd o
# TYPE odd untyped
odd NaN
# HELP took_seconds h
# TYPE took_seconds histogram
took_seconds_sum{a="1"} 2.5
took_seconds_count{a="1"} 3
took_seconds_bucket{le="0.00005",a="1"} 1
took_seconds_bucket{le="1.0",a="1"} 1
took_seconds_bucket{le="+Inf",a="1"} 3
# HELP old s
# TYPE old summary
old{quantile="0.5"} 1
old_sum 3
old_count 2
`,
  )
})

test('labels read from their text are those that were written', () => {
  const values = ['plain', 'a"b', 'a\\', '\\"', 'x\ny', ',a="b"', '', 'ü€😀', 'a\\nb']
  const names = values.map((_, i) => `l${i}`)
  assert.deepEqual(
    labelPairs(labelText(names, values)),
    values.map((value, i) => [`l${i}`, value]),
  )
  assert.deepEqual(labelPairs(''), [])
})
