import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compile } from '../../../src/cel/compile.ts'

const needs = (text: string): string => {
  const { variables, ...bodies } = compile(text).references
  const read = Object.entries(bodies).flatMap(([name, needed]) => (needed === true ? [name] : []))
  return [...variables, ...read].join(' ')
}

const all = 'requestBody requestBodyPrefix responseBody responseBodyPrefix'

/** Expression → the variables it reads, then the bodies. */
const cases: readonly (readonly [expression: string, needs: string])[] = [
  ['1 == 1', ''],
  ['request.path == "/"', 'request'],
  ['request.headers["content-length"]', 'request'],
  ['size(request.body) > 5', 'request requestBody'],
  ['request["body"] == b""', 'request requestBody'],
  ['has(request.body)', 'request requestBody'],
  ['default(json(request.body).a, 1)', 'request requestBody'],
  ['request.bodyPrefix == b""', 'request requestBodyPrefix'],
  ['json(response.body).x == json(request.body).x', 'response request requestBody responseBody'],
  ['[1].map(x, request.body)', 'request requestBody'],
  ['cel.bind(b, request.body, size(b))', 'request requestBody'],
  // The variable as a whole, or a computed key: any member may be read.
  ['cel.bind(r, request, r.path)', 'request requestBody requestBodyPrefix'],
  ['request[jwt.field] == ""', 'request jwt requestBody requestBodyPrefix'],
  ['toJson(response)', 'response responseBody responseBodyPrefix'],
  [
    'size(variables())',
    `request response source destination proxy backend env jwt apiKey basicAuth llm llmRequest mcp mcpGuardrails extauthz extproc metadata ${all}`,
  ],
  // Its presence is known without its body.
  ['!has(response) || response.code > 299', 'response'],
  ['has(request)', 'request'],
  // A local name hides the variable.
  ['[{"body": 1}].all(request, request.body == 1)', ''],
  ['[request].all(request, size(request.body) > 0)', 'request requestBody requestBodyPrefix'],
  ['{"body": 1}.with(request, request.body)', ''],
]

test('attribute references', async (t) => {
  for (const [expression, expected] of cases)
    await t.test(`of ${expression} are ${expected || 'none'}`, () => {
      assert.equal(needs(expression), expected)
    })

  for (const [expression, ...fields] of [
    ['1 == 1'],
    ['source.address == "a" || source["port"] == 1', 'source.address', 'source.port'],
    ['toJson(source) == ""', 'source.*'],
    ['has(source.identity)', 'source.identity'],
  ] as const)
    await t.test(`of ${expression} name fields: ${fields.join(', ') || 'none'}`, () => {
      assert.deepEqual([...compile(expression).references.fields], fields)
    })
})
