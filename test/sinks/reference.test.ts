import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { dependenciesEndpoint } from '../../src/admin/handlers/dependencies.ts'
import { celEndpoints } from '../../src/admin/handlers/cel.ts'
import { noCustomFunctions } from '../../src/cel/custom/custom-functions.ts'
import { configDumpEndpoint } from '../../src/admin/handlers/config-dump.ts'
import { indexPage } from '../../src/admin/handlers/index-page.ts'
import { quitEndpoint } from '../../src/admin/handlers/quit.ts'
import { traceEndpoint } from '../../src/admin/handlers/trace.ts'
import { Readiness, readinessEndpoint } from '../../src/admin/readiness.ts'
import { statsEndpoints } from '../../src/admin/stats.ts'
import { Trace } from '../../src/pipeline/trace.ts'
import { accessLogFields } from '../../src/sinks/access-log/access-log.ts'
import { metricDefinitions } from '../../src/sinks/metrics/definitions.ts'
import { TraceSse } from '../../src/sinks/trace-sse.ts'

const page = (name: string) => readFileSync(`docs/reference/${name}.md`, 'utf8')

/** The rows of the first table of a page with a header that begins with `head`, cell by cell, without backticks. */
const rowsUnder = (text: string, head: string): string[][] => {
  const lines = text.split('\n')
  const at = lines.findIndex((line) => cells(line)[0] === head)
  const end = lines.findIndex((line, i) => i > at && !line.startsWith('|'))
  return lines.slice(at + 2, end < 0 ? undefined : end).map(cells)
}

const cells = (line: string): string[] =>
  line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim().replaceAll('`', ''))

test('the reference of metrics lists each one, with its type, labels and meaning', () => {
  const written = rowsUnder(page('metrics'), 'Metric')
  const suffix: Readonly<Record<string, string>> = { counter: '_total', info: '_info' }
  const defined = Object.values(metricDefinitions).map(({ name, type, labels, help }) => [
    `${name}${suffix[type] ?? ''}`,
    type,
    labels.join(', '),
    help,
  ])
  assert.deepEqual(written, defined)
})

test('the reference of the access log lists each field, in order', () => {
  assert.deepEqual(
    rowsUnder(page('logs'), 'Field').map(([name]) => name),
    accessLogFields,
  )
})

test('the reference of the trace lists each type of event, with its fields', () => {
  const [, union = ''] =
    /export type TraceMessage =(.*?)\n\n/s.exec(readFileSync('src/model/trace/trace-event.ts', 'utf8')) ?? []
  const source = union.replace(
    '| PolicyEvent',
    "{ readonly type: 'policyEvent'; readonly kind: string; readonly details: string }",
  )
  const defined = source
    .split(/readonly type: '/)
    .slice(1)
    .map((part) => {
      const fields = part.split('}')[0]?.matchAll(/readonly (\w+)\??:/g) ?? []
      return [part.slice(0, part.indexOf("'")), [...fields].map(([, name]) => name).join(', ')]
    })
  assert.ok(defined.length > 10)
  assert.deepEqual(
    rowsUnder(page('trace'), 'type').map(([type, fields]) => [type, fields]),
    defined,
  )
})

test('the reference of the servers lists each endpoint, with its methods', () => {
  const admin = [
    configDumpEndpoint(() => undefined),
    traceEndpoint(new TraceSse(new Trace()), () => () => true),
    dependenciesEndpoint(() => []),
    ...celEndpoints(() => noCustomFunctions),
    quitEndpoint(() => Promise.resolve()),
  ]
  const endpoints = [
    indexPage('', admin),
    ...admin,
    readinessEndpoint(new Readiness()),
    ...statsEndpoints(() => []),
  ]
  assert.deepEqual(
    rowsUnder(page('admin'), 'Server').map(([, path, methods]) => [path, methods]),
    endpoints.map(({ path, methods }) => [path, methods.join(', ') || 'any']),
  )
})
