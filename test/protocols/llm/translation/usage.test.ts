import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonObject } from '../../../../src/protocols/json/json-object.ts'
import { codecs } from '../../../../src/protocols/llm/codecs.ts'
import type { ChatFormat } from '../../../../src/protocols/llm/format.ts'
import { Losses } from '../../../../src/protocols/llm/dropped-fields.ts'
import { clientRequest, decoded, encoded } from './translate.ts'

/** The usage in the response to a client. */
const usageFor = (client: ChatFormat, provider: ChatFormat, body: JsonObject): unknown => {
  const reply = codecs[provider].decodeReply(body, new Losses())
  return JSON.parse(JSON.stringify(codecs[client].encodeReply(reply, clientRequest, new Losses()).usage))
}

test('the usage of a call', async (t) => {
  const blocked = {
    candidates: [],
    promptFeedback: { blockReason: 'SAFETY' },
    usageMetadata: { promptTokenCount: 12, totalTokenCount: 12 },
    modelVersion: 'gemini-2.5-pro',
  }

  await t.test('has no completion tokens if Gemini blocked the prompt', () => {
    const expected = { prompt_tokens: 12, completion_tokens: 0, total_tokens: 12 }
    assert.deepEqual(usageFor('completions', 'generateContent', blocked), expected)
    const stream = encoded(
      'completions',
      decoded('generateContent', [{ name: undefined, data: JSON.stringify(blocked) }]),
    )
    assert.match(stream, /"usage":\{"prompt_tokens":12,"completion_tokens":0,"total_tokens":12\}/)
  })

  await t.test('has no output in the log if Gemini blocked the prompt, also in a stream', () => {
    const { generateContent } = codecs
    assert.equal(generateContent.replyAttributes(blocked).usage?.outputTokens, 0)
    const facts = generateContent.streamAttributes()
    facts.push(undefined, JSON.stringify({ usageMetadata: { promptTokenCount: 12 } }))
    assert.equal(facts.attributes.usage?.outputTokens, undefined)
    facts.push(undefined, JSON.stringify(blocked))
    assert.equal(facts.attributes.usage?.outputTokens, 0)
  })

  await t.test("adds up to Gemini's total, which includes tokens that are not listed", () => {
    const answer = {
      id: 'c',
      model: 'gemini-2.5-flash',
      choices: [{ index: 0, message: { role: 'assistant' }, finish_reason: 'length' }],
      usage: { prompt_tokens: 7, completion_tokens: 0, total_tokens: 8 },
    }
    const { usage } = codecs.completions.replyAttributes(answer)
    assert.deepEqual([usage?.inputTokens, usage?.outputTokens, usage?.totalTokens], [7, 0, 8])
    assert.deepEqual(usageFor('responses', 'completions', answer), {
      input_tokens: 7,
      input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
      output_tokens: 1,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 8,
    })
  })

  await t.test('is the last usage of GLM, also in a stream that is passed through', () => {
    const events = [
      {
        type: 'message_start',
        message: { id: 'i', model: 'glm', usage: { input_tokens: 34_824, output_tokens: 0 } },
      },
      {
        type: 'message_delta',
        delta: { stop_reason: 'end_turn' },
        usage: {
          input_tokens: 3883,
          output_tokens: 49,
          cache_creation_input_tokens: 0,
          cache_read_input_tokens: 30_464,
        },
      },
      { type: 'message_stop' },
    ]
    const facts = codecs.messages.streamAttributes()
    for (const event of events) facts.push(event.type, JSON.stringify(event))
    const { usage } = facts.attributes
    assert.deepEqual(
      [usage?.inputTokens, usage?.providerInputTokens, usage?.cachedInputTokens, usage?.outputTokens],
      [34_347, 3883, 30_464, 49],
    )
    const told = decoded(
      'messages',
      events.map((event) => ({ name: event.type, data: JSON.stringify(event) })),
    )
    assert.match(encoded('completions', told), /"prompt_tokens":34347,"completion_tokens":49/)
    const native = encoded('responses', told)
    assert.match(native, /"input_tokens":34347/)
  })
})
