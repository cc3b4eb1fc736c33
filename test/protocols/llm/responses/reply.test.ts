import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BadReply } from '../../../../src/protocols/llm/chat/codec.ts'
import type { ChatReply } from '../../../../src/protocols/llm/chat/reply.ts'
import { Losses } from '../../../../src/protocols/llm/dropped-fields.ts'
import { responses } from '../../../../src/protocols/llm/responses/codec.ts'
import { replies } from './golden/replies.ts'

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

const asked = { model: 'asked', includeUsage: true }

const encode = (reply: Partial<ChatReply>, losses = new Losses()): Record<string, unknown> =>
  responses.encodeReply({ id: 'x', model: 'm', parts: [], finish: 'stop', ...reply }, asked, losses)

test('a complete response of the Responses format', async (t) => {
  for (const [name, golden] of Object.entries(replies))
    await t.test(`is decoded and encoded: ${name}`, () => {
      const lost = new Losses()
      const read = responses.decodeReply(plain(golden.wire) as Record<string, unknown>, lost)
      assert.deepEqual(plain(read), plain(golden.meaning))
      assert.deepEqual(lost.fields, golden.lost)
      const written = responses.encodeReply(golden.meaning, asked, new Losses())
      assert.deepEqual(plain(written), plain({ access_programs: null, ...golden.wire, ...golden.written }))
    })

  await t.test('is refused with the name of the invalid field', () => {
    const text = (part: unknown) => ({ output: [{ type: 'message', content: [part] }] })
    const wrong: readonly [Record<string, unknown>, RegExp][] = [
      [{}, /^output must be an array$/],
      [{ output: [7] }, /^output\[0\] must be an object$/],
      [{ output: [{ type: 'message' }] }, /^output\[0\]\.content must be an array$/],
      [text({ type: 'output_text' }), /^output\[0\]\.content\[0\]\.text must be a string$/],
      [{ output: [{ type: 'function_call', call_id: 'a' }] }, /^output\[0\]\.name must be a string$/],
      [{ output: [], id: 7 }, /^id must be a string$/],
      [{ status: 'in_progress', output: [] }, /^the response is in_progress$/],
      [{ status: 'failed', error: { message: 'Boom.' }, output: [] }, /^the response is failed: Boom\.$/],
      [{ error: { message: 'Boom.' } }, /^the response is failed: Boom\.$/],
      [{ status: '../secret' }, /^the response is/],
    ]
    for (const [body, message] of wrong)
      assert.throws(
        () => responses.decodeReply(body, new Losses()),
        (error) => error instanceof BadReply && message.test(error.message),
        JSON.stringify(body),
      )
  })

  await t.test('has no usage if that is incomplete', () => {
    assert.equal('usage' in encode({}), false)
    assert.equal('usage' in encode({ usage: { outputTokens: 5 } }), false)
    assert.equal('usage' in encode({ usage: { inputTokens: 5, outputTokens: 0 } }), true)
  })

  await t.test('has new ids if the provider sent none', () => {
    const reply = { id: '', model: '', parts: [{ type: 'text', text: 'a' }] } as const
    const [one, other] = [encode(reply), encode(reply)]
    assert.match(String(one.id), /^resp_[0-9a-f]{32}$/)
    assert.notEqual(one.id, other.id)
    assert.equal(one.model, 'asked')
    assert.match(JSON.stringify(one.output), /"id":"msg_[0-9a-f]{32}_0"/)
  })

  await t.test('has the status of its stop reason', () => {
    const end = (finish: ChatReply['finish'], parts: ChatReply['parts'] = []) => {
      const { status, incomplete_details: details } = encode({ finish, parts })
      return [status, details]
    }
    assert.deepEqual(end('stopSequence'), ['completed', null])
    assert.deepEqual(end('pause'), ['completed', null])
    assert.deepEqual(end('toolCalls'), ['completed', null])
    assert.deepEqual(end('refusal', [{ type: 'refusal', text: 'no' }]), ['completed', null])
    assert.deepEqual(end('refusal'), ['incomplete', { reason: 'content_filter' }])
    assert.deepEqual(end('length'), ['incomplete', { reason: 'max_output_tokens' }])
  })

  await t.test('reports unsupported content', () => {
    const lost = new Losses()
    const { output } = encode(
      {
        stopSequence: 'END',
        parts: [
          { type: 'image', source: { url: 'https://example.com' } },
          { type: 'toolCall', id: 'c', name: 'f', arguments: '', signature: 's' },
        ],
      },
      lost,
    )
    assert.deepEqual(output, [
      { id: 'fc_x_0', type: 'function_call', status: 'completed', call_id: 'c', name: 'f', arguments: '{}' },
    ])
    assert.deepEqual(lost.fields, ['stop_sequence', 'image', 'tool_calls.signature'])
  })

  await t.test('has attributes without being decoded', () => {
    const golden = replies['a text']!
    const facts = responses.replyAttributes(plain(golden.wire) as Record<string, unknown>)
    assert.equal(facts.model, 'gpt-5.1-2025-11-13')
    assert.equal(facts.serviceTier, 'default')
    assert.deepEqual(plain(facts.usage), golden.meaning.usage)
    assert.equal(
      responses.replyAttributes({ usage: { input_tokens: -1, output_tokens: 'x' } }).usage,
      undefined,
    )
  })
})
