import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { CelError } from '../../src/cel/cel-error.ts'
import { compile, type Expression } from '../../src/cel/compile.ts'
import type { CelContext } from '../../src/cel/context.ts'
import { toPlain } from '../../src/cel/values.ts'
import { Headers } from '../../src/model/headers.ts'
import { sampleContext, sampleRequest } from './sample-context.ts'

const compiled = (text: string): Expression | undefined => {
  try {
    return compile(text)
  } catch (error) {
    if (error instanceof CelError) return undefined
    throw error
  }
}

/** Expressions by grammar: most of them make sense to the type checker. */
const { expression } = fc.letrec<{ expression: string }>((tie) => {
  const e = tie('expression')
  const leaf = fc.constantFrom(
    ...['1', '-1', '2.5', '0u', '""', '"a"', '"(a+)+$"', '"["', 'b"x"', 'true', 'null', '[]', '{}', 'x'],
    ...['request', 'request.headers', 'request.path', 'request.body', 'request.startTime', 'response.code'],
    ...['jwt', 'jwt.sub', 'jwt.groups', 'jwt.deep', 'jwt.num', 'llm.x', 'json(request.body)', 'variables()'],
    ...['proxy.upstreamDuration', 'cidr("10.0.0.0/8")', 'ip("::1")', 'duration("1s")', 'math', 'string'],
  )
  const unary = (...names: string[]) =>
    fc.tuple(fc.constantFrom(...names), e).map(([name, a]) => `${name}(${a})`)
  const method0 = fc
    .tuple(
      e,
      fc.constantFrom(
        ...[
          'size',
          'trim',
          'lowerAscii',
          'raw',
          'split',
          'join',
          'redacted',
          'unredacted',
          'getHours',
          'json',
        ],
        ...['family', 'masked', 'hex', 'base64', 'string'],
      ),
    )
    .map(([a, name]) => `(${a}).${name}()`)
  const method1 = fc
    .tuple(
      e,
      fc.constantFrom(
        ...['contains', 'matches', 'startsWith', 'split', 'join', 'indexOf', 'substring', 'charAt', 'merge'],
        ...['cookie', 'query', 'containsIP', 'stripPrefix', 'getHours', 'at'],
      ),
      e,
    )
    .map(([a, name, b]) => `(${a}).${name}(${b})`)
  const method2 = fc
    .tuple(e, fc.constantFrom('replace', 'regexReplace', 'addQuery', 'setQuery', 'substring', 'split'), e, e)
    .map(([a, name, b, c]) => `(${a}).${name}(${b}, ${c})`)
  const loop = fc
    .tuple(
      e,
      fc.constantFrom('all', 'exists', 'exists_one', 'map', 'filter', 'mapValues', 'filterKeys', 'with'),
      e,
    )
    .map(([a, name, b]) => `(${a}).${name}(x, ${b})`)
  const binary = fc
    .tuple(e, fc.constantFrom('+', '-', '*', '/', '%', '==', '!=', '<', '>=', '&&', '||', 'in'), e)
    .map(([a, op, b]) => `(${a} ${op} ${b})`)
  return {
    expression: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      leaf,
      binary,
      loop,
      method0,
      method1,
      method2,
      unary(
        'string',
        'int',
        'double',
        'bytes',
        'size',
        'type',
        'json',
        'toJson',
        'duration',
        'timestamp',
        'dyn',
      ),
      unary(
        'has',
        'base64.encode',
        'url.decode',
        'form.encode',
        'form.decode',
        'sha256.encode',
        'math.abs',
        'fail',
      ),
      fc.tuple(e, e).map(([a, b]) => `default(${a}, ${b})`),
      fc.tuple(e, e).map(([a, b]) => `coalesce(${a}, ${b})`),
      fc.tuple(e, e, e).map(([a, b, c]) => `(${a} ? ${b} : ${c})`),
      fc.tuple(e, e).map(([a, b]) => `(${a})[${b}]`),
      fc
        .tuple(e, fc.constantFrom('a', 'constructor', '__proto__', 'size', 'path'))
        .map(([a, k]) => `(${a}).${k}`),
      fc.tuple(e, e).map(([a, b]) => `[${a}, ${b}]`),
      fc.tuple(e, e).map(([a, b]) => `{"k": ${a}, "constructor": ${b}}`),
    ),
  }
})

const contexts: fc.Arbitrary<CelContext> = fc
  .record({
    body: fc.option(
      fc.oneof(
        fc.json().map((text) => Buffer.from(text)),
        fc.uint8Array().map((bytes) => Buffer.from(bytes)),
      ),
      { nil: undefined },
    ),
    values: fc.array(fc.string(), { maxLength: 3 }),
    path: fc.string(),
    claims: fc.option(
      fc.dictionary(fc.constantFrom('sub', 'groups', 'deep', 'num', 'constructor'), fc.jsonValue()),
      {
        nil: undefined,
      },
    ),
  })
  .map(({ body, values, path, claims }) => ({
    request: sampleRequest({ body, path, headers: Headers.of({ a: values, cookie: values }) }),
    jwt: claims,
  }))

test('evaluation', async (t) => {
  await t.test('never throws, whatever the expression and the input', () => {
    let accepted = 0
    fc.assert(
      fc.property(expression, contexts, (text, context) => {
        const program = compiled(text)
        if (!program) return
        accepted++
        const outcome = program.evaluate(context)
        if (outcome.error) assert.equal(typeof outcome.error.message, 'string')
        assert.notEqual(outcome.error?.code, 'internal', outcome.error?.message)
        const decision = program.decide(context)
        assert.ok(decision === undefined || typeof decision === 'boolean')
        toPlain(outcome.value)
      }),
      { numRuns: 4_000, seed: 7 },
    )
    assert.ok(accepted > 500, `${accepted} expressions compiled`)
  })

  await t.test('is not reached by text that is no expression: compile says so', () => {
    const tokens = fc.constantFrom(
      ...['request', '.', 'path', '(', ')', '[', ']', '{', '}', '"', "'", '"a"', '1', '0x', '1e', '\\', '/'],
      ...[
        '==',
        '=',
        '&&',
        '|',
        '!',
        '-',
        ',',
        ':',
        '?',
        ' ',
        '\n',
        'has',
        'default',
        'map',
        'é',
        '\u0000',
        '//',
      ],
    )
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(tokens, { maxLength: 30 }).map((all) => all.join('')),
        ),
        (text) => {
          compiled(text)?.evaluate(sampleContext())
        },
      ),
      { numRuns: 3_000, seed: 7 },
    )
  })

  await t.test('turns a fault of the context into a failure', () => {
    const broken: CelContext = {
      get request(): never {
        throw new Error('broken getter')
      },
    }
    assert.deepEqual(compile('request.path').evaluate(broken).error, {
      code: 'internal',
      message: 'broken getter',
    })
  })

  await t.test('leaves no stack limit behind', () => {
    const before = Error.stackTraceLimit
    compile('jwt.sub').evaluate({})
    assert.equal(Error.stackTraceLimit, before)
    assert.ok(before > 0)
  })
})

const withBody = (body: string, path = '/'): CelContext => ({
  request: sampleRequest({ body: Buffer.from(body), path }),
})
const list = `[${Array.from({ length: 100 }, (_, i) => i).join(',')}]`
/** `cel.bind(a0, …, cel.bind(a1, a0 + a0, …))`, forty times. */
const doubled = (start: string) =>
  `cel.bind(a0, ${start}, ${Array.from({ length: 40 }, (_, i) => `cel.bind(a${i + 1}, a${i} + a${i}, `).join('')}size(a40)${')'.repeat(41)}`
const json = (value: unknown) => JSON.stringify(value)
const thousands = (make: (i: number) => unknown) => Array.from({ length: 50_000 }, (_, i) => make(i))

/** What would take seconds to for ever without a limit. */
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
  ['a caller’s pattern that is huge', '"a".matches(request.path)', withBody('', '(a{0,1000}){20}')],
  ['a caller’s pattern that is long', '"a".matches(request.path)', withBody('', 'a?'.repeat(10_000))],
]

test('the limits', async (t) => {
  for (const [name, text, context] of costly)
    await t.test(`stop ${name}`, () => {
      const program = compile(text)
      const began = performance.now()
      assert.equal(program.evaluate(context).error?.code, 'limit_exceeded')
      assert.ok(performance.now() - began < 2_000)
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

  await t.test('let regular expressions take linear time', () => {
    const trap = `${'a'.repeat(50_000)}!`
    for (const pattern of ['(a+)+$', '(a|aa)+$', '^(a|a?)+$', '(.*a){20}$']) {
      const fixed = compile(`string(request.body).matches("${pattern}")`)
      const computed = compile('string(request.body).matches(request.path)')
      const began = performance.now()
      assert.equal(fixed.evaluate(withBody(trap)).value, false)
      assert.equal(computed.evaluate(withBody(trap, pattern)).value, false)
      assert.ok(performance.now() - began < 1_000)
    }
  })

  await t.test('let conversions of a caller’s text take linear time', () => {
    const text = '1'.repeat(100_000)
    const began = performance.now()
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
    assert.ok(performance.now() - began < 500)
  })

  await t.test('refuse JSON that is nested too deeply', () => {
    const text = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
    assert.equal(compile('json(request.body)').evaluate(withBody(text)).error?.code, 'limit_exceeded')
  })

  await t.test('leave ordinary work on a large body alone', () => {
    const body = json({ items: thousands((i) => ({ id: i })), pad: 'é'.repeat(500_000) })
    assert.equal(compile('json(request.body).items.exists(i, i.id == 49999)').test(withBody(body)), true)
    assert.equal(compile('string(request.body).matches("[0-9]{5}")').test(withBody(body)), true)
  })
})

test('an expression keeps nothing of the last exchange', async () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const texts = [
    'request.headers["x-team"] == "blue"',
    '[1, 2].exists(x, x == size(request.body))',
    'json(request.body).with(b, b.model)',
    'cel.bind(r, request, r.path)',
    'default(request.headers["nope"], request.path)',
    'jwt.nope',
  ]
  const expressions = texts.map((text) => compile(text))
  const contexts = expressions.map((one) => {
    const context = sampleContext()
    one.evaluate(context)
    return new WeakRef(context)
  })
  // Weak references are held to the end of the turn they were made in.
  await new Promise((resolve) => setImmediate(resolve))
  collect()
  assert.deepEqual(contexts.map((reference, i) => reference.deref() && texts[i]).filter(Boolean), [])
  assert.equal(expressions.length, texts.length)
})
