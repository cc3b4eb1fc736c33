import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Fault } from '../../../src/model/exchange/fault.ts'
import { logsLevel } from '../../../src/model/log/log-level.ts'
import { levelOf, parseLogLevels } from '../../../src/sinks/log/levels.ts'
import { processLog } from '../../../src/sinks/log/log.ts'
import { jsonText, textValue } from '../../../src/sinks/access-log/text-format.ts'
import { timestamp } from '../../../src/sinks/log/timestamp.ts'
import { lineCollector } from '../../support/line-collector.ts'

const log = (format: 'text' | 'json', levels = 'info', scope = 'gateway') => {
  const destination = lineCollector()
  const made = processLog({ format, levels: parseLogLevels(levels), destination }, scope)
  return Object.assign(made, { lines: destination.lines })
}
const withoutTime = (line = '') => line.replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/, '<time>')

test('the log of the process', async (t) => {
  await t.test('writes a line of text per message', () => {
    const made = log('text')
    made.info('listening', {
      address: '0.0.0.0:3000',
      port: 3000,
      tls: false,
      note: 'with spaces',
      gone: undefined,
    })
    assert.deepEqual(made.lines.map(withoutTime), [
      '<time>\tinfo\tgateway\tlistening address=0.0.0.0:3000 port=3000 tls=false note="with spaces"\n',
    ])
  })

  await t.test('writes a JSON object per line', () => {
    const made = log('json')
    made.warn('certificate expires', { days: 3, names: ['a', 'b'] })
    assert.deepEqual(made.lines.map(withoutTime), [
      '{"level":"warn","time":"<time>","scope":"gateway","days":3,"names":["a","b"],"message":"certificate expires"}\n',
    ])
  })

  await t.test('applies the level of each scope', () => {
    const made = log('text', 'warn,ports=debug,quiet=off')
    made.info('not written')
    made.scope('ports').debug('written')
    made.scope('ports').trace('not written')
    made.scope('quiet').error('not written')
    made.error('written too')
    assert.deepEqual(
      made.lines.map((line) => line.split('\t').slice(1).join(' ')),
      ['debug ports written\n', 'error gateway written too\n'],
    )
  })

  await t.test('prints an error with its causes, and a bug with its stack', () => {
    const made = log('text')
    const cause = Object.assign(new Error('connect refused'), { code: 'ECONNREFUSED' })
    made.error('call failed', { error: new Fault('upstream_failed', 'upstream call failed', { cause }) })
    made.error('stage failed', { error: new TypeError('x is not a function') })
    assert.match(
      made.lines[0] ?? '',
      /call failed error="upstream call failed \(upstream_failed\); because: connect refused \(ECONNREFUSED\)"\n$/,
    )
    assert.match(made.lines[1] ?? '', /error="x is not a function\\n {4}at .*log\.test\.ts/)
  })

  await t.test('contains nothing that looks like a credential', () => {
    const made = log('json')
    made.info('calling', {
      url: 'https://user:SECRET@a.test/?api_key=SECRET&b=1',
      sent: 'authorization: Bearer SECRET-token',
      error: new Error('cannot reach http://x.test/?token=SECRET'),
    })
    assert.doesNotMatch(made.lines[0] ?? '', /SECRET/)
    assert.match(made.lines[0] ?? '', /https:\/\/<redacted>@a\.test\/\?api_key=<redacted>&b=1/)
  })

  await t.test('escapes line breaks and terminal control characters', () => {
    const made = log('text')
    made.info('seen', {
      path: '/a\n2026-01-01T00:00:00Z\tinfo\tfake',
      agent: '\u001b[31mred\u009b1m',
      empty: '',
    })
    const [line = ''] = made.lines
    assert.equal(line.split('\n').length, 2)
    assert.doesNotMatch(line, /[\u001b\u009b]/)
    assert.match(line, /empty=""/)
  })
})

test('log levels', async (t) => {
  await t.test('are parsed from a list, and invalid ones are ignored', () => {
    const levels = parseLogLevels('debug, request=off ,x=loud,TRACE')
    assert.deepEqual(
      [levelOf(levels, 'request'), levelOf(levels, 'x'), levelOf(levels, 'y')],
      ['off', 'trace', 'trace'],
    )
    assert.equal(parseLogLevels('').level, 'info')
  })
  await t.test('allow messages of the same or a higher severity', () => {
    assert.deepEqual(
      [
        logsLevel('info', 'warn'),
        logsLevel('info', 'info'),
        logsLevel('info', 'debug'),
        logsLevel('off', 'error'),
      ],
      [true, true, false, false],
    )
  })
})

test('values are quoted only if necessary', () => {
  assert.deepEqual(['/a?b=c', 'a b', 'a"b', '', 'ä', '\u2028'].map(textValue), [
    '/a?b=c',
    '"a b"',
    '"a\\"b"',
    '""',
    'ä',
    '"\\u2028"',
  ])
  assert.equal(JSON.parse(jsonText('\u009b\u2029\n"')), '\u009b\u2029\n"')
})

test('timestamps are RFC 3339 in UTC with milliseconds', () => {
  const before = Date.now()
  const time = timestamp()
  assert.match(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  assert.ok(Date.parse(time) >= before && Date.parse(time) <= Date.now())
})

test('a line of JSON has no duplicate names', () => {
  const made = log('json')
  made.info('written', { scope: 'mine', level: 7, time: 'now', message: 'other', days: 3 })
  const [line = assert.fail()] = made.lines
  const names = [...line.matchAll(/"(\w+)":/g)].map(([, name]) => name)
  assert.equal(new Set(names).size, names.length, line)
  assert.partialDeepStrictEqual(JSON.parse(line), { scope: 'gateway', scope_: 'mine', level_: 7, days: 3 })
})
