import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compile } from '../../../src/cel/compile.ts'
import { givenContext } from '../../../src/cel/context/json-context.ts'
import { recordTypes } from '../../../src/cel/context/records.ts'
import { toPlain } from '../../../src/cel/values/values.ts'
import { variables } from '../../../src/cel/variables.ts'
import type { AnyRecordType } from '../../../src/cel/context/record.ts'

/** JSON for a field of a type, and the value that an expression reads. */
const samples: Readonly<Record<string, readonly [given: unknown, read: unknown]>> = {
  string: ['text', 'text'],
  int: [7, 7],
  double: [0.5, 0.5],
  bool: [true, true],
  bytes: ['hi', 'aGk='],
  Headers: [{ 'X-A': '1' }, { 'x-a': '1' }],
  list: [[{ a: 1 }], [{ a: 1 }]],
  'list<string>': [['a'], ['a']],
  dyn: [{ a: [1] }, { a: [1] }],
  'google.protobuf.Timestamp': ['2026-01-02T03:04:05.000Z', '2026-01-02T03:04:05Z'],
  'google.protobuf.Duration': ['1.5s', '1.5s'],
}

const fieldsOf = (
  record: AnyRecordType,
  path: readonly string[],
): { path: readonly string[]; type: string }[] =>
  Object.entries(record.fields).flatMap(([name, { type }]) => {
    const nested = recordTypes.find((one) => one.name === type)
    return nested ? fieldsOf(nested, [...path, name]) : [{ path: [...path, name], type }]
  })

test('a context given as JSON', async (t) => {
  for (const { name, record } of variables)
    if (record)
      for (const { path, type } of fieldsOf(record, [name]))
        await t.test(`has ${path.join('.')}`, () => {
          const [given, read] = samples[type] ?? assert.fail(`no sample of ${type}`)
          const data = path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), given)
          const { value, error } = compile(path.join('.')).evaluate(givenContext(data))
          assert.equal(error, undefined)
          assert.deepEqual(toPlain(value), read)
        })

  await t.test('has members of any shape', () => {
    for (const name of ['jwt', 'apiKey', 'llmRequest', 'mcpGuardrails', 'extauthz', 'extproc', 'metadata'])
      assert.deepEqual(toPlain(compile(`${name}.a`).evaluate(givenContext({ [name]: { a: 1 } })).value), 1)
  })

  await t.test('has no values that are absent or null', () => {
    const context = givenContext({ request: { path: null }, jwt: {} })
    for (const text of ['request.path', 'response', 'jwt.sub', 'request.headers["a"]'])
      assert.equal(compile(`has(${text})`).test(context), false, text)
  })

  const wrong: readonly (readonly [given: unknown, message: RegExp])[] = [
    [5, /^the data must be an object$/],
    [[], /^the data must be an object$/],
    [{ request: 5 }, /^request must be an object$/],
    [{ jwt: 'x' }, /^jwt must be an object$/],
    [{ request: { path: 5 } }, /^request\.path must be a text$/],
    [{ response: { code: 1.5 } }, /^response\.code must be a whole number$/],
    [{ llm: { streaming: 'yes' } }, /^llm\.streaming must be true or false$/],
    [{ llm: { cost: { total: '1' } } }, /^llm\.cost\.total must be a number$/],
    [{ llm: { prompt: {} } }, /^llm\.prompt must be a list$/],
    [{ request: { headers: [] } }, /^request\.headers must be an object$/],
    [{ request: { headers: { a: [5] } } }, /^request\.headers\.a must be a text$/],
    [{ request: { startTime: 'noon' } }, /^request\.startTime must be a point in time/],
    [{ proxy: { upstreamDuration: 'soon' } }, /^proxy\.upstreamDuration must be a duration/],
    [{ source: { subjectAltNames: [5] } }, /^source\.subjectAltNames must be a text$/],
    [{ constructor: {} }, /^unknown variable: "constructor"/],
    [{ mcp: { tool: { nam: '' } } }, /^unknown field of mcp\.tool: "nam"; did you mean "name"\?$/],
  ]
  for (const [given, message] of wrong)
    await t.test(`is refused: ${JSON.stringify(given)}`, () => {
      assert.throws(() => givenContext(given), { name: 'TypeError', message })
    })
})
