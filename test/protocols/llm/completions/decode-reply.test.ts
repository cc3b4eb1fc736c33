import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BadReply } from '../../../../src/protocols/llm/chat/codec.ts'
import type { Finish } from '../../../../src/protocols/llm/chat/reply.ts'
import { completions } from '../../../../src/protocols/llm/completions/codec.ts'
import { Losses } from '../../../../src/protocols/llm/dropped-fields.ts'
import { locationsIn, replaced } from './odd-values.ts'

const decode = (body: Record<string, unknown>) => completions.decodeReply(body, new Losses())
const reply = (message: object, finish: unknown) => ({ choices: [{ message, finish_reason: finish }] })
const call = { id: 'a', function: { name: 'f', arguments: '' } }

test('responses of Chat Completions', async (t) => {
  await t.test('are refused with the name of the invalid field', () => {
    const cases: [Record<string, unknown>, string][] = [
      [{}, 'choices must be an array'],
      [{ choices: [] }, 'choices[0] must be an object'],
      [{ choices: [{}] }, 'choices[0].message must be an object'],
      [reply({ content: 7 }, 'stop'), 'choices[0].message.content must be a string'],
      [reply({ content: 'a' }, 7), 'choices[0].finish_reason must be a string'],
      [reply({ tool_calls: {} }, 'stop'), 'choices[0].message.tool_calls must be an array'],
      [reply({ tool_calls: [{}] }, 'stop'), 'choices[0].message.tool_calls[0].function must be an object'],
      [{ id: 7, ...reply({}, 'stop') }, 'id must be a string'],
      [{ error: { message: 'busy' } }, 'it holds an error: busy'],
      [{ object: 'error', message: 'busy' }, 'it holds an error: busy'],
    ]
    for (const [body, message] of cases)
      assert.throws(
        () => decode(body),
        (error) => error instanceof BadReply && error.message === message,
        message,
      )
  })

  await t.test('have a stop reason, given or derived', () => {
    const cases: [object, unknown, Finish][] = [
      [{ content: 'a' }, 'stop', 'stop'],
      [{ content: 'a' }, 'length', 'length'],
      [{ content: 'a' }, 'content_filter', 'contentFilter'],
      [{ content: 'a' }, null, 'stop'],
      [{ content: 'a' }, 'constructor', 'stop'],
      [{ content: 'a' }, 'tool_calls', 'stop'],
      [{ tool_calls: [call] }, 'stop', 'toolCalls'],
      [{ tool_calls: [call] }, 'length', 'length'],
      [{ function_call: { name: 'f', arguments: '{}' } }, 'function_call', 'toolCalls'],
      [{ refusal: 'no' }, 'stop', 'refusal'],
    ]
    for (const [message, reason, finish] of cases) assert.equal(decode(reply(message, reason)).finish, finish)
  })

  await t.test('have an id for every call and JSON arguments', () => {
    const { parts } = decode(reply({ tool_calls: [{ function: { name: 'f' } }, call] }, 'tool_calls'))
    const ids = parts.map((part) => (part.type === 'toolCall' ? [part.id.slice(0, 5), part.arguments] : []))
    assert.deepEqual(ids, [
      ['call_', '{}'],
      ['a', '{}'],
    ])
  })

  await t.test('never fail in another way, whatever they contain', () => {
    const whole = {
      id: 'c',
      model: 'm',
      created: 1,
      service_tier: 'default',
      choices: [
        {
          index: 0,
          message: {
            content: 'a',
            refusal: 'b',
            reasoning: 'c',
            reasoning_details: [{ type: 'reasoning.text', text: 'd', signature: 'e' }],
            tool_calls: [{ id: 'f', type: 'function', function: { name: 'g', arguments: '{}' } }],
            function_call: { name: 'h', arguments: '{}' },
            annotations: [],
          },
          finish_reason: 'stop',
          stop_reason: 'x',
        },
      ],
      usage: { prompt_tokens: 1, prompt_tokens_details: { cached_tokens: 1 } },
    }
    const asked = { model: 'm', includeUsage: true }
    let refused = 0
    for (const place of locationsIn(whole))
      for (const odd of [null, 7, -1, true, '', 'x', [], {}, [null], [[]]])
        try {
          const said = completions.decodeReply(replaced(whole, place, odd), new Losses())
          completions.encodeReply(said, asked, new Losses())
        } catch (error) {
          assert.ok(error instanceof BadReply, `${place.join('.')}: ${String(error)}`)
          refused++
        }
    assert.ok(refused > 50)
  })
})
