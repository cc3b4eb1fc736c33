import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Losses } from '../../../../src/protocols/llm/dropped-fields.ts'
import { messages } from '../../../../src/protocols/llm/messages/codec.ts'
import {
  decodeTokenCount,
  encodeTokenCountReply,
} from '../../../../src/protocols/llm/messages/token-count.ts'
import { asJson, goldens, goldenStreams } from './golden.ts'

test('attributes of Messages', async (t) => {
  await t.test('of a request are those for routing and logs', () => {
    const body = { model: 'm', stream: true, temperature: 0.5, top_p: 0.9, max_tokens: 5, messages: 'unread' }
    assert.deepEqual(asJson(messages.requestAttributes(body, {})), {
      model: 'm',
      streaming: true,
      temperature: 0.5,
      topP: 0.9,
      maxTokens: 5,
    })
    assert.deepEqual(
      asJson(messages.requestAttributes({ model: 5, max_tokens: '5' }, { model: 'p', streaming: true })),
      {
        model: 'p',
        streaming: true,
      },
    )
  })

  await t.test('of a response are its model, its usage and its tier', () => {
    const { wire, common } = goldens('replies').find(({ name }) => name === 'text')!
    assert.deepEqual(messages.replyAttributes(wire), {
      model: 'claude-sonnet-4-5-20250929',
      usage: common.usage,
      serviceTier: 'standard',
    })
  })

  await t.test('of a stream are found in the few events that have any', () => {
    for (const { name, text, events } of goldenStreams()) {
      const facts = messages.streamAttributes()
      let looked = 0
      for (const event of text.split(/(?<=\n\n)/)) {
        if (!facts.concerns(Buffer.from(event))) continue
        looked++
        facts.push(/^event: (.*)$/m.exec(event)?.[1], /^data: (.*)$/m.exec(event)![1]!)
      }
      assert.ok(looked <= 3, name)
      assert.deepEqual(
        facts.attributes.usage,
        events.findLast(({ type }) => type === 'usage')!['usage' as never],
        name,
      )
      assert.equal(facts.attributes.model, (events[0] as { model: string }).model)
      assert.equal(facts.isComplete, name !== 'cut', name)
    }
  })

  await t.test('of a stream are found in any JSON formatting', () => {
    const facts = messages.streamAttributes()
    const concerns = (text: string) => facts.concerns(Buffer.from(text))
    assert.equal(concerns('event:message_delta\ndata:{}\n\n'), true)
    assert.equal(concerns('data: {"type":"message_stop"}\n\n'), true)
    assert.equal(concerns('id: c\nevent: message_stop\ndata: {}\n\n'), true)
    assert.equal(concerns('event: error\ndata: {}\n\n'), true)
    assert.equal(concerns('event:content_block_delta\ndata: {"text":"words"}\n\n'), false)
    assert.equal(concerns('data: {"text":"a message_, \\"message_start\\" and error"}\n\n'), false)
  })

  await t.test('of a stream are not read from invalid events', () => {
    const facts = messages.streamAttributes()
    for (const data of ['', 'x', '[]', '{"type":"message_delta"}', '{"type":"message_start","message":5}'])
      facts.push(undefined, data)
    assert.deepEqual(asJson(facts.attributes), {})
    assert.equal(facts.isComplete, false)
  })
})

test('token count requests', async (t) => {
  const { wire } = goldens('requests').find(({ name }) => name === 'thinking')!
  const { max_tokens, ...counted } = wire
  assert.equal(max_tokens, 8000)

  await t.test('are decoded without response settings', () => {
    const losses = new Losses()
    const request = decodeTokenCount(counted, {}, losses)
    assert.deepEqual(asJson(request.turns), asJson(messages.decodeRequest(wire, {}, losses).turns))
    assert.deepEqual(losses.fields, [])
  })

  await t.test('get a number', () => {
    assert.deepEqual(encodeTokenCountReply(17), { input_tokens: 17 })
  })
})
