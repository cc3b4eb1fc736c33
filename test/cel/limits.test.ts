import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compile } from '../../src/cel/compile.ts'
import type { CelContext } from '../../src/cel/context/context.ts'
import { limits } from '../../src/cel/limits.ts'
import { spentUnits } from '../../src/cel/engine/cost-meter.ts'
import { sampleRequest } from './sample-context.ts'
import { cpuTimeMs } from '../support/cpu-time.ts'

const withBody = (body: string, path = '/'): CelContext => ({
  request: sampleRequest({ body: Buffer.from(body), path }),
})
const list = `[${Array.from({ length: 100 }, (_, i) => i).join(',')}]`
/** `cel.bind(a0, …, cel.bind(a1, a0 + a0, …))`, forty times. */
const doubled = (start: string) =>
  `cel.bind(a0, ${start}, ${Array.from({ length: 40 }, (_, i) => `cel.bind(a${i + 1}, a${i} + a${i}, `).join('')}size(a40)${')'.repeat(41)}`
const json = (value: unknown) => JSON.stringify(value)
const thousands = (make: (i: number) => unknown) => Array.from({ length: 50_000 }, (_, i) => make(i))

/** Expressions that would take seconds or forever without a limit. */
const costly: readonly (readonly [name: string, expression: string, context: CelContext])[] = [
  [
    'loops in loops',
    `${list}.all(a, ${list}.all(b, ${list}.all(c, ${list}.all(d, a + b + c + d >= 0))))`,
    {},
  ],
  ['a text doubled forty times', doubled('string(request.body)'), withBody('x'.repeat(2 ** 20))],
  ['a list doubled forty times', doubled('[1, 2]'), {}],
  [
    'a search in a long text for each item',
    'json(request.body).with(b, b.items.exists(item, b.text.contains(item)))',
    withBody(json({ text: 'x'.repeat(2 ** 20), items: thousands((i) => `y${i}`) })),
  ],
  [
    'a deep comparison for each item',
    'json(request.body).with(b, b.items.exists(item, b.one == b.other))',
    withBody(
      json({
        one: { a: thousands(() => 1) },
        other: { a: [...thousands(() => 1), 2].slice(1) },
        items: thousands((i) => i),
      }),
    ),
  ],
  [
    'JSON written for each item',
    'json(request.body).with(b, b.items.exists(item, toJson(b.one) == "x"))',
    withBody(json({ one: { a: thousands(() => 1) }, items: thousands((i) => i) })),
  ],
  [
    'a replacement that looks to the end each time',
    'string(request.body).regexReplace("a.*z|a", "")',
    withBody('a'.repeat(50_000)),
  ],
  [
    'a replacement that multiplies',
    'string(request.body).replace("x", string(request.body))',
    withBody('x'.repeat(2 ** 20)),
  ],
  [
    'texts joined by a long text',
    'json(request.body).items.join(json(request.body).text)',
    withBody(json({ items: thousands(() => ''), text: 'x'.repeat(2 ** 19) })),
  ],
  [
    'a text encoded over and over',
    `${'base64.encode('.repeat(45)}string(request.body)${')'.repeat(45)}`,
    withBody('x'.repeat(2 ** 16)),
  ],
  [
    'JSON written over and over',
    `${'toJson('.repeat(40)}string(request.body)${')'.repeat(40)}`,
    withBody('"'.repeat(2 ** 16)),
  ],
  [
    'a text added to itself without end',
    Array(700).fill('string(request.body)').join(' + '),
    withBody('x'.repeat(2 ** 20)),
  ],
  ['a caller’s pattern that is huge', '"a".matches(request.path)', withBody('', '(a{0,1000}){20}')],
  ['a caller’s pattern that is long', '"a".matches(request.path)', withBody('', 'a?'.repeat(10_000))],
]

test('the evaluation limits', async (t) => {
  for (const [name, text, context] of costly)
    await t.test(`stop ${name}`, () => {
      const program = compile(text)
      const began = cpuTimeMs()
      assert.equal(program.evaluate(context).error?.code, 'limit_exceeded')
      assert.ok(cpuTimeMs() - began < 5_000)
    })

  await t.test('cannot be caught by the expression itself', () => {
    const endless = `${list}.all(a, ${list}.all(b, ${list}.all(c, ${list}.all(d, true))))`
    for (const text of [
      `coalesce(${endless}, true)`,
      `[1].exists(x, ${endless})`,
      `default(${endless}, true)`,
    ])
      assert.equal(compile(text).evaluate({}).error?.code, 'limit_exceeded')
  })

  await t.test('are counted in units that grow with the input', () => {
    const spent = (text: string, items: number): number => {
      const body = json({ items: Array.from({ length: items }, (_, i) => `i${i}`), text: 'x'.repeat(1_000) })
      assert.equal(compile(text).evaluate(withBody(body)).error, undefined)
      return spentUnits()
    }
    for (const text of [
      'json(request.body).items.exists(i, i == "none")',
      'json(request.body).items.map(i, i + "!").size() > 0',
      'json(request.body).with(b, b.items.filter(i, b.text.contains(i)))',
      'json(request.body).with(b, b.items == b.items.map(i, i))',
    ]) {
      const [few, many] = [spent(text, 500), spent(text, 2_000)]
      assert.ok(many > few && many < 5 * few, `${text}: ${few}, ${many}`)
      assert.ok(many < limits.cost / 10)
    }
    compile('request.path == "/"').evaluate(withBody(''))
    assert.equal(spentUnits(), 0)
  })

  await t.test('allow regular expressions that run in linear time', () => {
    const trap = `${'a'.repeat(50_000)}!`
    for (const pattern of ['(a+)+$', '(a|aa)+$', '^(a|a?)+$', '(.*a){20}$']) {
      const fixed = compile(`string(request.body).matches("${pattern}")`)
      const computed = compile('string(request.body).matches(request.path)')
      const began = cpuTimeMs()
      assert.equal(fixed.evaluate(withBody(trap)).value, false)
      assert.equal(computed.evaluate(withBody(trap, pattern)).value, false)
      assert.ok(cpuTimeMs() - began < 5_000)
    }
  })

  await t.test('allow conversions of client text that run in linear time', () => {
    const text = '1'.repeat(100_000)
    const began = cpuTimeMs()
    for (const call of [
      'duration',
      'int',
      'double',
      'timestamp',
      'ip',
      'cidr',
      'json',
      'isIP',
      'base64.decode',
    ])
      compile(`${call}(string(request.body))`).evaluate(withBody(text))
    assert.ok(cpuTimeMs() - began < 5_000)
  })

  await t.test('refuse JSON that is nested too deeply', () => {
    const text = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
    assert.equal(compile('json(request.body)').evaluate(withBody(text)).error?.code, 'limit_exceeded')
  })

  await t.test('do not affect ordinary work on a large body', () => {
    const items = Array.from({ length: 5_000 }, (_, i) => ({ id: i }))
    const body = json({ items, pad: 'é'.repeat(500_000) })
    assert.equal(compile('json(request.body).items.exists(i, i.id == 4999)').test(withBody(body)), true)
    assert.equal(compile('string(request.body).matches("[0-9]{4}")').test(withBody(body)), true)
  })
})
