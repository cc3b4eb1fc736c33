import assert from 'node:assert/strict'
import { test } from 'node:test'
import { completions } from '../../../../src/protocols/llm/completions/codec.ts'

const first =
  '{"id":"c","model":"gpt-4o-1","service_tier":"flex","choices":[{"delta":{},"finish_reason":null}],"usage":null}'
const facts = () => {
  const begun = completions.streamAttributes()
  assert.ok(begun.concerns(Buffer.from(`data: ${first}\n\n`)))
  begun.push(undefined, first)
  return begun
}

test('attributes of a stream of Chat Completions', async (t) => {
  await t.test('do not parse chunks with null usage', () => {
    const ordinary = [
      '{"choices":[{"delta":{"content":"a"},"finish_reason":null}],"usage":null}',
      '{"choices":[{"delta":{"content":"a"},"finish_reason" : null}], "usage" : null}',
      '{"choices":[{"delta":{"content":"say \\"usage\\":{}, \\"finish_reason\\":\\"stop\\""},"finish_reason":null}]}',
    ]
    const { concerns } = { concerns: (text: string) => facts().concerns(Buffer.from(`data: ${text}\n\n`)) }
    assert.deepEqual(ordinary.map(concerns), [false, false, false])
    // Several events at once, the second with attributes.
    assert.ok(concerns(`${ordinary[0]!}\n\ndata: {"choices":[],"usage":{}}`))
    assert.ok(concerns('{"choices":[],"usage" : {"prompt_tokens":1}}'))
    assert.ok(concerns('{"choices":[{"finish_reason":"stop"}]}'))
    assert.ok(concerns('[DONE]'))
    assert.ok(concerns('{"error":{}}'))
    assert.ok(concerns('{"object":"error"}'))
  })

  await t.test('include the model, the tier and the usage', () => {
    const heard = facts()
    assert.equal(heard.isComplete, false)
    heard.push(undefined, '{"choices":[{"delta":{},"finish_reason":"stop"}],"usage":null}')
    assert.equal(heard.isComplete, true)
    heard.push(undefined, '{"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":4,"total_tokens":7}}')
    heard.push(undefined, '[DONE]')
    const { model, serviceTier, usage } = heard.attributes
    assert.deepEqual([model, serviceTier], ['gpt-4o-1', 'flex'])
    assert.deepEqual([usage?.inputTokens, usage?.outputTokens, usage?.totalTokens], [3, 4, 7])
  })

  await t.test('treat an error as the end, and ignore garbage', () => {
    for (const said of ['{"error":{"message":"a"}}', '{"object":"error","message":"a"}', '[DONE]']) {
      const heard = facts()
      heard.push(undefined, said)
      assert.equal(heard.isComplete, true, said)
    }
    for (const said of ['{', '7', 'null', '{"choices":7,"usage":[],"model":{}}', '{"choices":[null]}']) {
      const heard = facts()
      heard.push(undefined, said)
      assert.equal(heard.isComplete, false, said)
      assert.equal(heard.attributes.usage, undefined)
    }
  })
})

test('attributes of a request and a response of Chat Completions', async (t) => {
  await t.test('are read from any known position, and wrong types are ignored', () => {
    const body = { model: 'm', stream: true, temperature: 0.5, top_p: 1, max_tokens: 5, seed: 'x' }
    const read = JSON.parse(JSON.stringify(completions.requestAttributes(body, {}))) as unknown
    assert.deepEqual(read, { model: 'm', streaming: true, temperature: 0.5, topP: 1, maxTokens: 5 })
    assert.deepEqual(
      JSON.parse(JSON.stringify(completions.requestAttributes({ model: 7, stream: 'yes' }, { model: 'p' }))),
      { model: 'p', streaming: false },
    )
    const said = completions.replyAttributes({
      model: 'm',
      usage: { prompt_tokens: 0, completion_tokens: -1 },
    })
    assert.equal(said.usage?.inputTokens, 0)
    assert.equal(said.usage.outputTokens, undefined)
  })
})
