import assert from 'node:assert/strict'
import { test } from 'node:test'
import { negotiateFormat } from '../../../../src/sinks/metrics/exposition/negotiate-format.ts'

const plain = 'text/plain;charset=utf-8'
const openMetrics = 'application/openmetrics-text; version=1.0.0; charset=utf-8'
const prometheus = 'text/plain; version=0.0.4; charset=utf-8'
const family = 'application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; encoding=delimited'
const set =
  'application/vnd.google.protobuf;proto=io.prometheus.client.MetricSet;encoding=delimited;version=1.0.0'

const cases: readonly (readonly [accept: string | undefined, contentType: string])[] = [
  [undefined, plain],
  ['', plain],
  ['*/*', plain],
  ['text/*', plain],
  ['text/plain', plain],
  ['application/json', plain],
  ['text/plain;q=0, */*;q=0', plain],
  ['text/plain;version=0.0.4', prometheus],
  ['application/openmetrics-text', openMetrics],
  ['Application/OpenMetrics-Text; Version="1.0.0"', openMetrics],
  ['application/openmetrics-text;version=9.0.0', plain],
  ['application/vnd.google.protobuf', set],
  ['application/protobuf', set],
  ['application/x-protobuf;q=0.1', set],
  ['application/vnd.google.protobuf;encoding=text', plain],
  ['application/vnd.google.protobuf;proto=some.Other;encoding=delimited', plain],
  [
    'application/vnd.google.protobuf;proto=io.prometheus.client.MetricSet;encoding=delimited;q=0.1, text/plain;q=0.9',
    plain,
  ],
  [
    'application/vnd.google.protobuf;proto=io.prometheus.client.MetricSet;encoding=delimited;q=0, text/plain;q=1',
    plain,
  ],
  ['application/openmetrics-text;q=2, text/plain;version=0.0.4;q=0.1', prometheus],
  ['application/openmetrics-text;q=0.5, text/plain;version=0.0.4;q=0.50', openMetrics],
  // Prometheus, with text, and with native histograms.
  [
    'application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1',
    openMetrics,
  ],
  [
    'application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited,application/openmetrics-text;version=1.0.0;q=0.8,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1',
    family,
  ],
  [`${'x/y,'.repeat(100_000)}application/openmetrics-text`, plain],
]

test('the format of a scrape is the acceptable one with the highest q, text by default', () => {
  for (const [accept, contentType] of cases)
    assert.equal(negotiateFormat(accept).contentType, contentType, accept?.slice(0, 200))
})
