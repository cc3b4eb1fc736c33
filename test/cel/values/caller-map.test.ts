import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compile } from '../../../src/cel/compile.ts'
import { Headers } from '../../../src/model/exchange/headers.ts'
import { sampleRequest } from '../sample-context.ts'

const outcome = (expression: string, sent: string): unknown => {
  const json = JSON.parse(sent) as Record<string, unknown>
  const { value, error } = compile(expression).evaluate({
    request: sampleRequest({ headers: new Headers(['x-json', sent]) }),
    llmRequest: json,
    mcp: { methodName: 'tools/call', tool: { name: 'echo', arguments: json } },
  })
  return error ? error.code : value
}

test('a member of a map from the caller', async (t) => {
  const places = [
    'llmRequest',
    'mcp.tool.arguments',
    'json(request.headers["x-json"])',
    'variables().llmRequest',
  ]
  for (const place of places) {
    await t.test(`is not readable if another differs only in case: ${place}`, () => {
      const cases: readonly (readonly [expression: string, sent: string])[] = [
        ['$.path == "/a"', '{"path":"/a","Path":"/b"}'],
        ['$.path == "/a"', '{"PATH":"/b","path":"/a"}'],
        ['$["path"] == "/a"', '{"path":"/a","Path":"/b"}'],
        ['has($.path)', '{"path":"/a","Path":"/b"}'],
        ['has($.path)', '{"Path":"/b"}'],
        ['default($.path, "/a") == "/a"', '{"Path":"/b"}'],
        ['"path" in $', '{"Path":"/b"}'],
        ['$.contains("path")', '{"Path":"/b"}'],
        ['$.task == 1', '{"task":1,"ta\u017fk":2}'],
        ['$.task == 1', '{"tas\u212a":2}'],
        ['$.file.path == "/a"', '{"file":{"path":"/a","pAth":"/b"}}'],
        ['$.file.path == "/a"', '{"file":{"path":"/a"},"FILE":{}}'],
        ['$.files[0].path == "/a"', '{"files":[{"path":"/a","pAth":"/b"}]}'],
      ]
      for (const [expression, sent] of cases)
        assert.equal(
          outcome(
            expression.replaceAll('$', () => place),
            sent,
          ),
          'repeated_member',
          `${expression} ${sent}`,
        )
    })

    await t.test(`is readable beside other members: ${place}`, () => {
      const sent = '{"path":"/a","Other":1,"other":2,"file":{"paths":1,"Paths":2}}'
      for (const expression of [
        '$.path == "/a"',
        'has($.path)',
        '!has($.none)',
        'has($.file)',
        '"path" in $',
      ])
        assert.equal(
          outcome(
            expression.replaceAll('$', () => place),
            sent,
          ),
          true,
          expression,
        )
    })
  }
})
