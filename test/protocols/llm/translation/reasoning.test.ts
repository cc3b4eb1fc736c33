import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonObject } from '../../../../src/protocols/json/json-object.ts'
import type { Part } from '../../../../src/protocols/llm/chat/parts.ts'
import { codecs } from '../../../../src/protocols/llm/codecs.ts'
import { Losses } from '../../../../src/protocols/llm/dropped-fields.ts'
import { clientRequest, decoded, encoded } from './translate.ts'

const message = (parts: readonly Part[]): JsonObject => {
  const reply = { id: 'i', model: 'm', parts, finish: 'stop' } as const
  const { choices } = codecs.completions.encodeReply(reply, clientRequest, new Losses())
  return (choices as readonly { readonly message: JsonObject }[])[0]!.message
}

const partsOf = (said: JsonObject): readonly Part[] => {
  const body = { model: 'm', messages: [{ role: 'assistant', ...said }] }
  return codecs.completions.decodeRequest(body, {}, new Losses()).turns[0]!.parts
}

test('reasoning signatures in Chat Completions', async (t) => {
  const signed = { type: 'thinking', text: 'Two.', signature: 'c2ln' } as const

  await t.test('are encoded beside the details', () => {
    const { reasoning_content, reasoning_signature, reasoning_details } = message([signed])
    assert.deepEqual(
      { reasoning_content, reasoning_signature, reasoning_details },
      {
        reasoning_content: 'Two.',
        reasoning_signature: 'c2ln',
        reasoning_details: [{ type: 'reasoning.text', text: 'Two.', signature: 'c2ln', index: 0 }],
      },
    )
    assert.equal('reasoning_signature' in message([{ type: 'thinking', text: 'Two.' }]), false)
    // It would apply to the text of both.
    assert.equal('reasoning_signature' in message([signed, { ...signed, signature: 'b3Ro' }]), false)
  })

  await t.test('are decoded if clients send back only the message', () => {
    const { reasoning_details: _, ...plain } = message([signed])
    assert.deepEqual(partsOf(plain), [signed])
    assert.deepEqual(partsOf(message([signed])), [signed])
    assert.deepEqual(partsOf({ content: 'a', reasoning_signature: 'c2ln' }), [
      { type: 'thinking', text: '', signature: 'c2ln' },
      { type: 'text', text: 'a' },
    ])
    assert.deepEqual(partsOf({ content: 'a', reasoning_content: 'Two.', reasoning_signature: '' }), [
      { type: 'thinking', text: 'Two.' },
      { type: 'text', text: 'a' },
    ])
    assert.throws(
      () => partsOf({ content: 'a', reasoning_signature: 7 }),
      /reasoning_signature must be a string/,
    )
  })

  await t.test('reach Bedrock and Anthropic with their text', () => {
    const body = {
      model: 'anthropic.claude',
      messages: [
        { role: 'user', content: 'What is 2+2?' },
        { role: 'assistant', content: '4', reasoning_content: 'Two.', reasoning_signature: 'c2ln' },
        { role: 'user', content: 'And 3+3?' },
      ],
    }
    const sent = (format: 'converse' | 'messages') => {
      const losses = new Losses()
      const request = codecs.completions.decodeRequest(body, {}, losses)
      const { messages } = codecs[format].encodeRequest(request, losses)
      assert.deepEqual(losses.fields, [])
      return (messages as readonly { readonly content: readonly unknown[] }[])[1]!.content[0]
    }
    assert.deepEqual(sent('converse'), {
      reasoningContent: { reasoningText: { text: 'Two.', signature: 'c2ln' } },
    })
    assert.deepEqual(sent('messages'), { type: 'thinking', thinking: 'Two.', signature: 'c2ln' })
  })

  await t.test('are encoded and decoded in streams, once', () => {
    const events = decoded(
      'messages',
      [
        { type: 'message_start', message: { id: 'i', model: 'm' } },
        {
          type: 'content_block_start',
          index: 0,
          content_block: { type: 'thinking', thinking: '', signature: '' },
        },
        { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'Two.' } },
        { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: 'c2ln' } },
        { type: 'content_block_stop', index: 0 },
        { type: 'message_stop' },
      ].map((event) => ({ name: event.type, data: JSON.stringify(event) })),
    )
    const text = encoded('completions', events)
    assert.equal(text.match(/"reasoning_signature":"c2ln"/g)?.length, 1)
    const again = (stream: string) =>
      decoded(
        'completions',
        (stream.match(/(?<=^data: ).*$/gm) ?? []).map((data) => ({ name: undefined, data })),
      ).filter(({ type }) => type === 'signature' || type === 'delta' || type === 'open')
    const expected = [
      { type: 'open', block: 0, part: { type: 'thinking' } },
      { type: 'delta', block: 0, text: 'Two.' },
      { type: 'signature', block: 0, signature: 'c2ln' },
    ]
    assert.deepEqual(again(text), expected)
    assert.deepEqual(again(text.replaceAll(/,"reasoning_details":\[[^\]]*\]/g, '')), expected)
  })
})

test('reasoning of Gemini', async (t) => {
  const thinking = (effort: unknown, model = 'gemini-2.5-pro'): unknown => {
    const body = { model, messages: [{ role: 'user', content: 'Hi' }], reasoning_effort: effort }
    const request = codecs.completions.decodeRequest(body, {}, new Losses())
    const { generationConfig } = codecs.generateContent.encodeRequest(request, new Losses())
    return (generationConfig as JsonObject | undefined)?.thinkingConfig
  }

  await t.test('is requested for a client that requested it', () => {
    assert.deepEqual(thinking('low'), { thinkingBudget: 1024, includeThoughts: true })
    assert.deepEqual(thinking('high', 'gemini-3-pro'), { thinkingLevel: 'HIGH', includeThoughts: true })
  })

  await t.test('is not requested otherwise', () => {
    assert.deepEqual(thinking('none', 'gemini-2.5-flash'), { thinkingBudget: 0 })
    assert.equal(thinking(undefined), undefined)
  })
})

test('image/jpg becomes image/jpeg for Gemini, Anthropic and Bedrock', () => {
  const body = {
    model: 'm',
    messages: [
      { role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:image/jpg;base64,/9j/' } }] },
    ],
  }
  const request = codecs.completions.decodeRequest(body, {}, new Losses())
  const sent = (format: 'generateContent' | 'messages' | 'converse'): string =>
    JSON.stringify(codecs[format].encodeRequest(request, new Losses()))
  assert.match(sent('generateContent'), /"mimeType":"image\/jpeg"/)
  assert.match(sent('messages'), /"media_type":"image\/jpeg"/)
  assert.match(sent('converse'), /"format":"jpeg"/)
})

test('a file without a specific type gets that of its name, for Anthropic, Gemini and Bedrock', () => {
  const file = { filename: 'a.PDF', file_data: 'data:application/octet-stream;base64,JVBERg==' }
  const bare = { type: 'input_file', filename: 'a.csv', file_data: 'YSxi' }
  const sent = { model: 'm', input: [{ role: 'user', content: [bare] }] }
  const table = codecs.responses.decodeRequest(sent, {}, new Losses())
  assert.match(JSON.stringify(codecs.converse.encodeRequest(table, new Losses())), /"format":"csv"/)
  const body = { model: 'm', messages: [{ role: 'user', content: [{ type: 'file', file }] }] }
  const request = codecs.completions.decodeRequest(body, {}, new Losses())
  for (const format of ['generateContent', 'messages'] as const)
    assert.match(JSON.stringify(codecs[format].encodeRequest(request, new Losses())), /"application\/pdf"/)
})
