import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseLogDirective } from '../../../src/model/log/log-directive.ts'
import { Trace } from '../../../src/pipeline/trace.ts'
import { ExchangeLog } from '../../../src/sinks/log/exchange-log.ts'
import { LogLevelControl } from '../../../src/sinks/log/level-control.ts'
import { parseLogLevels } from '../../../src/sinks/log/levels.ts'
import { processLog } from '../../../src/sinks/log/log.ts'
import { moduleLogs } from '../../../src/sinks/log/module-logs.ts'
import { exchange } from '../../../src/testing/exchange.ts'
import { lineCollector } from '../../support/line-collector.ts'

const open = (startup: string) => {
  const destination = lineCollector()
  const levels = new LogLevelControl(parseLogLevels(startup))
  const log = processLog({ levels, format: 'text', destination }, 'gateway')
  const logs = moduleLogs(log, levels)
  const set = (text: string, isReset = false) => {
    const directive = parseLogDirective(text)
    if ('problem' in directive) assert.fail(directive.problem)
    levels.apply(directive, isReset)
  }
  return { log, logs, levels, set, lines: destination.lines }
}

test('levels change in every log that exists', () => {
  const { log, logs, set, lines } = open('warn,mcp=debug')
  const mcp = log.scope('mcp')
  const all = () => {
    log.info('from the gateway')
    mcp.debug('from mcp')
    logs.http.trace?.('from http')
  }
  const seen = () => lines.splice(0).map((line) => line.split('\t').at(-1)?.trim())
  all()
  assert.deepEqual(seen(), ['from mcp'])
  set('info,mcp=off,http=trace')
  all()
  assert.deepEqual(seen(), ['from the gateway', 'from http'])
  set('off')
  all()
  assert.deepEqual(seen(), ['from http'], 'levels of modules stay')
  set('error', true)
  all()
  assert.deepEqual(seen(), ['from mcp'], 'back to the start, and then the given level')
})

test('a level that is off is no function, so that its fields are not computed', () => {
  const { logs, set } = open('info')
  let computed = 0
  logs.llm.debug?.('never', { value: ++computed })
  assert.equal(computed, 0)
  set('llm=debug')
  logs.llm.debug?.('now', { value: ++computed })
  assert.equal(computed, 1)
  set('llm=off')
  assert.equal(logs.llm.error, undefined)
})

test('the directive names what is in force', () => {
  const { levels, set } = open('info,request=off,agent_core=trace')
  assert.equal(levels.directive, 'info,request=off', 'without modules that do not exist')
  set('debug,mcp=trace,request=info')
  assert.equal(levels.directive, 'debug,request=info,mcp=trace')
  set('warn', true)
  assert.equal(levels.directive, 'warn,request=off')
})

test('events of requests are logged by module, while one of them wants them', () => {
  const { logs, levels, set, lines } = open('info')
  const trace = new Trace()
  const log = new ExchangeLog(trace, logs, levels)
  const run = () => {
    const x = exchange({ trace, path: '/a', headers: { authorization: 'Bearer SECRET-token' } })
    const kind = (name: string) => ({ type: 'policy', kind: name }) as const
    const result = { type: 'apply', details: 'refused: SECRET-token', snapshot: null } as const
    x.probe?.record({ type: 'routeSelection', selectedRoute: null, evaluatedRoutes: ['r'] })
    x.probe?.record({ ...kind('jwt'), result })
    x.probe?.record({ ...kind('cors'), result })
    x.probe?.record({ type: 'cel', expr: 'jwt.x', result: { error: 'no such member' } })
    x.probe?.record({ type: 'policyEvent', kind: 'retry', details: 'retry 1 after status 503' })
    x.probe?.record({ type: 'policyEvent', kind: 'llm_failover', details: 'another provider' })
    trace.ended(x)
    trace.flush()
    return lines.splice(0).map((line) => line.replace(/^\S+\t|requestId=\S+ atUs=\S+ ?|\n$/g, ''))
  }
  assert.deepEqual([run(), trace.watching], [[], 0])
  set('auth=debug,cel=debug')
  assert.deepEqual([log.isWatching, trace.watching], [true, 1])
  assert.deepEqual(run(), [
    'debug\tauth\ta policy ran policy=jwt result="refused: <redacted>"',
    'debug\tcel\tan expression cannot be evaluated expression=jwt.x error="no such member"',
  ])
  set('off,http=trace,upstream=debug,llm=debug,auth=off,cel=off')
  assert.deepEqual(run(), [
    'debug\thttp\ta request begins method=GET host=gateway.test path=/a',
    'debug\thttp\tno route matches routes=1',
    'trace\thttp\ta policy ran policy=cors result="refused: <redacted>"',
    'debug\tupstream\ta call is repeated details="retry 1 after status 503"',
    'debug\tllm\tanother provider is tried details="another provider"',
    'debug\thttp\ta request ends ',
  ])
  set('info', true)
  assert.equal(trace.watching, 0)
})
