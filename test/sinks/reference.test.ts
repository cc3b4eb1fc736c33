import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { dependenciesEndpoint } from '../../src/admin/handlers/dependencies.ts'
import { celEndpoints } from '../../src/admin/handlers/cel.ts'
import { noCustomFunctions } from '../../src/cel/custom/custom-functions.ts'
import { configDumpEndpoint } from '../../src/admin/handlers/config-dump.ts'
import { indexPage } from '../../src/admin/handlers/index-page.ts'
import { memoryEndpoint } from '../../src/admin/handlers/memory.ts'
import { profileEndpoints } from '../../src/admin/handlers/profiles.ts'
import { tasksEndpoint } from '../../src/admin/handlers/tasks.ts'
import { Redaction } from '../../src/model/trace/redact.ts'
import { loggingEndpoint } from '../../src/admin/handlers/logging.ts'
import { quitEndpoint } from '../../src/admin/handlers/quit.ts'
import { logLevelAccess } from '../../src/admin/log-levels.ts'
import { logModuleNames } from '../../src/model/log/log-modules.ts'
import { silentLog } from '../../src/model/log/module-log.ts'
import { LogLevelControl } from '../../src/sinks/log/level-control.ts'
import { parseLogLevels } from '../../src/sinks/log/levels.ts'
import { traceEndpoint } from '../../src/admin/handlers/trace.ts'
import { dependenciesReport } from '../../src/admin/reports/dependencies-report.ts'
import { configDiffEndpoint } from '../../src/admin/handlers/config-diff.ts'
import { reloadsReport } from '../../src/admin/reports/reloads-report.ts'
import { endpointsReport } from '../../src/admin/reports/endpoints-report.ts'
import { EventLoopLiveness, livenessEndpoint, livenessReport } from '../../src/admin/liveness.ts'
import { Readiness, readinessEndpoint } from '../../src/admin/readiness.ts'
import { metricsReport } from '../../src/admin/reports/metrics-report.ts'
import { statsEndpoints } from '../../src/admin/stats.ts'
import { Trace } from '../../src/pipeline/trace.ts'
import { accessLogFields } from '../../src/sinks/access-log/access-log.ts'
import { metricDefinitions } from '../../src/sinks/metrics/definitions/metric-definitions.ts'
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

/** A report that nobody reads. */
const never = {
  name: 'never',
  collect: () => new Promise<never>(() => undefined),
  merge: ([first]: never[]) => first!,
}

test('the reference of the servers lists each endpoint, with its methods', () => {
  const admin = [
    configDumpEndpoint(() => undefined),
    configDiffEndpoint(reloadsReport(() => new Promise(() => undefined))),
    traceEndpoint(new TraceSse(new Trace()), () => () => true),
    dependenciesEndpoint(
      dependenciesReport(() => []),
      endpointsReport(() => []),
    ),
    memoryEndpoint(never),
    tasksEndpoint(never, new Redaction()),
    ...celEndpoints(() => noCustomFunctions),
    loggingEndpoint(logLevelAccess(new LogLevelControl(parseLogLevels('info')), silentLog)),
    ...profileEndpoints({
      heapSampling: undefined,
      shutdown: new AbortController().signal,
      platform: 'linux',
    }),
    quitEndpoint(() => Promise.resolve()),
  ]
  const endpoints = [
    indexPage('', admin),
    ...admin,
    readinessEndpoint(new Readiness()),
    livenessEndpoint(livenessReport(new EventLoopLiveness())),
    ...statsEndpoints(metricsReport({ parts: () => Promise.resolve([]) })),
  ]
  assert.deepEqual(
    rowsUnder(page('admin'), 'Server').map(([, path, methods]) => [path, methods]),
    endpoints.map(({ path, methods }) => [path, methods.join(', ') || 'any']),
  )
})

test('the reference of the log lists each module', () => {
  assert.deepEqual(
    rowsUnder(page('logs'), 'Module').map(([name]) => name),
    logModuleNames,
  )
})
