import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hideUsage } from '../../../../src/protocols/llm/completions/hide-usage.ts'

const shown = (event: string) => hideUsage(Buffer.from(event))?.toString()

test('hiding usage that nobody asked for', async (t) => {
  await t.test('leaves out the chunk that has nothing else', () => {
    assert.equal(shown('data: {"id":"c","choices":[],"usage":{"prompt_tokens":1}}\n\n'), undefined)
    assert.equal(shown('data: {"usage": {"prompt_tokens":1} , "choices" : [ ] }\r\n\r\n'), undefined)
  })

  await t.test('cuts out usage that is null, with its comma, and nothing else', () => {
    const cases = [
      ['data: {"id":"ü","choices":[{}],"usage":null}\n\n', 'data: {"id":"ü","choices":[{}]}\n\n'],
      ['data: {"usage":null,"id":"c"}\n\n', 'data: {"id":"c"}\n\n'],
      ['data: {"a":1,"usage":null,"b":2}\n\n', 'data: {"a":1,"b":2}\n\n'],
      ['data: {"a":1 , "usage" : null , "b":2}\n\n', 'data: {"a":1  , "b":2}\n\n'],
      ['data: {"usage":null}\n\n', 'data: {}\n\n'],
      ['id: 7\r\ndata:{"a":1,"usage":null}\r\n\r\n', 'id: 7\r\ndata:{"a":1}\r\n\r\n'],
      [
        'data: {"choices":[],"prompt_filter_results":[],"usage":null}\n\n',
        'data: {"choices":[],"prompt_filter_results":[]}\n\n',
      ],
    ]
    for (const [event, left] of cases) assert.equal(shown(event!), left)
  })

  await t.test('gives every other event back as it is', () => {
    const events = [
      'data: [DONE]\n\n',
      ': comment with "usage":\n\n',
      'data: {"choices":[{"delta":{"content":"say \\"usage\\":null"}}]}\n\n',
      'data: {"choices":[{"delta":{"content":"usage"}}],"a":"usage"}\n\n',
      'data: {"choices":[{"delta":{"content":"last"}}],"usage":{"prompt_tokens":1}}\n\n',
      'data: {"choices":[{"delta":{"content":"\\"choices\\":[]"}}],"usage":{"prompt_tokens":1}}\n\n',
      'data: {"usage":{"a":1},"choices":[]\n\n',
      'data: {"usage":nul',
      'data: {"usage"',
      '"usage":',
    ]
    for (const event of events) {
      const bytes = Buffer.from(event)
      assert.equal(hideUsage(bytes), bytes, event)
    }
  })
})
