import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CelError } from '../../src/cel/engine/compile-error.ts'
import { compile, type CompileOptions } from '../../src/cel/compile.ts'
import { sampleContext } from './sample-context.ts'

/** The problem that `compile` reports. */
const complaint = (text: string, options?: CompileOptions): CelError => {
  try {
    compile(text, options)
  } catch (error) {
    assert.ok(error instanceof CelError)
    return error
  }
  return assert.fail(`${text} compiled`)
}

/** Expression, problem, location (line:column), and hint. */
const mistakes: readonly (readonly [text: string, problem: string, place: string, hint?: string])[] = [
  ['reqest.path == "/"', 'unknown variable "reqest"', '1:1', 'did you mean "request"?'],
  ['true &&\n  sorce.port > 1', 'unknown variable "sorce"', '2:3', 'did you mean "source"?'],
  ['zzzzzz', 'unknown variable "zzzzzz"', '1:1'],
  ['request.pth', 'request has no field "pth"', '1:9', 'did you mean "path"?'],
  ['request["pth"]', 'request has no field "pth"', '1:9', 'did you mean "path"?'],
  ['has(request.haeders)', 'request has no field "haeders"', '1:13', 'did you mean "headers"?'],
  ['default(proxy.route.nam, "")', 'proxy.route has no field "nam"', '1:21', 'did you mean "name"?'],
  ['backend.weight', 'backend has no field "weight"', '1:9', 'fields are name, type, protocol'],
  ['llm.inputTokns > 5', 'llm has no field "inputTokns"', '1:5', 'did you mean "inputTokens"?'],
  ['mcp.tool.nam == "x"', 'mcp.tool has no field "nam"', '1:10', 'did you mean "name"?'],
  ['basicAuth.user == "x"', 'basicAuth has no field "user"', '1:11', 'fields are username'],
  [
    'request.headers.x-api == "1"',
    'unknown variable "api"',
    '1:19',
    'a name with a dash is written x["a-b"]',
  ],
  ['(request.path).startWith("/")', 'unknown function "startWith"', '1:16', 'did you mean "startsWith"?'],
  ['sha265.encode("x")', 'unknown variable "sha265"', '1:1', 'did you mean "sha256"?'],
  ['defalt(jwt.sub, "")', 'unknown function "defalt"', '1:1', 'did you mean "default"?'],
  ['default(jwt.sub)', 'no such call: default(dyn)', '1:1', 'usage: default(x, fallback)'],
  ['duration(5)', 'no such call: duration(int)', '1:1', 'usage: duration(string)'],
  [
    '"a".replace(1)',
    'no such call: string.replace(int)',
    '1:5',
    'usage: string.replace(from, to), string.replace(from, to, times)',
  ],
  ['{1.5: 1}', 'a key cannot be double', '1:2'],
  ['request.path == 5', 'no such overload: string == int', '1:1'],
  ['request.path = "/"', 'unexpected "="', '1:14', 'equality is written =='],
  ['true and false', 'unexpected "and"', '1:6', 'and is written &&'],
  ['true & false', 'unexpected "&"', '1:6', 'and is written &&'],
  ['“a” == "a"', 'unexpected "“"', '1:1', 'strings stand between straight quotes, " or \''],
  ['(1 + 2', '")" expected, not the end of the expression', '1:7'],
  ['[1, 2', '"]" expected, not the end of the expression', '1:6'],
  ['request.', 'a name expected, not the end of the expression', '1:9'],
  ['', 'the expression ends too soon', '1:1'],
  ['"abc', 'unterminated string', '1:1'],
  ['"a".matches("(")', 'regular expression: missing closing ): `(`', '1:13'],
  ['"a".matches("(?=b)")', 'regular expression: invalid or unsupported Perl syntax: `(?=`', '1:13'],
  ['cidr("10.0.0.0/99")', 'cidr: not an address range', '1:6'],
  ['duration("soon")', 'duration: not a duration such as 1h30m or 1.5s', '1:10'],
  ['[1].all(1, true)', 'a name is expected here', '1:9'],
  ['cel.bind(1, 2, 3)', 'a name is expected here', '1:10'],
  ['jwt.with("a", 3)', 'a name is expected here', '1:10'],
  ['[1].all(x, 5)', 'a condition is expected here, not int', '1:12'],
  ['has("x")', 'has() takes a variable, a member or a key', '1:5'],
]

test('compile', async (t) => {
  for (const [text, problem, place, hint] of mistakes)
    await t.test(`refuses ${JSON.stringify(text)}: ${problem}`, () => {
      const error = complaint(text)
      const { line, column } = error.position
      assert.deepEqual([error.problem, `${line}:${column}`, error.hint], [problem, place, hint])
    })

  await t.test('reports problem, location and hint in one message', () => {
    assert.equal(
      complaint('true ||\nrequest.pth').message,
      'request has no field "pth" (line 2, column 9); did you mean "path"?',
    )
    assert.equal(complaint('true ||\nrequest.pth').position.offset, 16)
  })

  await t.test('allows any field of dynamic variables', () => {
    for (const name of [
      'jwt',
      'apiKey',
      'llmRequest',
      'mcpGuardrails',
      'extauthz',
      'extproc',
      'metadata',
      'mcp.tool.arguments',
    ])
      assert.equal(compile(`${name}.anything.at["all"]`).evaluate({}).error?.code, 'unknown_variable')
  })

  await t.test('knows the static type of the value', () => {
    const typeOf = (text: string) => compile(text).type
    assert.deepEqual(
      ['request.path == "/"', 'request.path', 'request.headers["a"]', '[1].map(x, "a")'].map(typeOf),
      ['bool', 'string', 'dyn', 'list<string>'],
    )
  })

  await t.test('refuses a value of the wrong type for its field', () => {
    const options = { types: ['bool'] }
    assert.equal(complaint('request.path', options).problem, 'the value must be bool, not string')
    assert.equal(compile('jwt.admin', options).type, 'dyn')
    assert.equal(compile('request.path == "/"', options).type, 'bool')
  })

  await t.test('refuses an expression that is too long, too large or too deep', () => {
    const refused: readonly (readonly [string, RegExp])[] = [
      [`"${'a'.repeat(20_000)}"`, /16384 characters/],
      [`[${'1,'.repeat(1_500)}1]`, /more than 1000 elements/],
      [
        `[${Array(5)
          .fill(`[${'1,'.repeat(900)}1]`)
          .join(',')}]`,
        /more than 4000 parts/,
      ],
      [`${'('.repeat(200)}1${')'.repeat(200)}`, /deeper than 100 levels/],
      [Array(1_500).fill('true').join('||'), /deeper than 1000 levels/],
      [`${'!'.repeat(16_000)}true`, /nested too deeply|deeper than/],
      [`coalesce(${'1,'.repeat(40)}1)`, /more than 32 arguments/],
    ]
    for (const [text, message] of refused) assert.match(complaint(text).message, message)
  })

  await t.test('accepts a chain as long as the limits allow, and evaluates it', () => {
    assert.equal(compile(Array(990).fill('true').join('&&')).test({}), true)
  })
})

test('an expression', async (t) => {
  await t.test('is not true if it fails or is not a boolean', () => {
    const test = (text: string) => compile(text).test(sampleContext())
    assert.deepEqual(['true', 'jwt.nope', 'jwt.sub', 'jwt.nope == 1 || true'].map(test), [
      true,
      false,
      false,
      true,
    ])
  })

  await t.test('is true, false, or undecided', () => {
    const decide = (text: string) => compile(text).decide(sampleContext())
    assert.deepEqual(['1 == 1', '1 == 2', 'jwt.nope == 1', 'jwt.sub'].map(decide), [
      true,
      false,
      undefined,
      undefined,
    ])
  })

  await t.test('can be evaluated repeatedly, with other contexts', () => {
    const expression = compile('[1, 2].map(x, default(jwt.n, 0) + x)')
    assert.deepEqual(
      [{ jwt: { n: 1 } }, {}, { jwt: { n: 5 } }].map((context) => expression.evaluate(context).value),
      [
        [2n, 3n],
        [1n, 2n],
        [6n, 7n],
      ],
    )
  })
})
