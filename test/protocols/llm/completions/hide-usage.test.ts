import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hideUsage } from '../../../../src/protocols/llm/completions/hide-usage.ts'

const shown = (event: string) => hideUsage(Buffer.from(event)).toString()

test('hiding usage that the client did not request', async (t) => {
  await t.test('removes the chunk that has nothing else', () => {
    assert.equal(shown('data: {"id":"c","choices":[],"usage":{"prompt_tokens":1}}\n\n'), '')
    assert.equal(shown('data: {"usage": {"prompt_tokens":1} , "choices" : [ ] }\r\n\r\n'), '')
  })

  await t.test('removes usage that is null, with its comma, and nothing else', () => {
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

  await t.test('handles several events at once', () => {
    const events = [
      'data: {"choices":[{"delta":{"content":"a"}}],"usage":null}\n\n',
      'data: {"choices":[{"delta":{}}]}\n\n',
      'data: {"choices":[],"usage":{"prompt_tokens":1}}\n\n',
      'data: [DONE]\n\n',
    ]
    assert.equal(shown(events.join('')), events.map(shown).join(''))
    assert.equal(shown(events.slice(0, 2).join('')), events.slice(0, 2).map(shown).join(''))
  })

  await t.test('returns every other event unchanged', () => {
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
