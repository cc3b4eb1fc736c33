import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ChatEvent } from '../../../../src/protocols/llm/chat/events.ts'
import { eventsOfChunks } from './events-of.ts'
import { locationsIn, replaced } from './odd-values.ts'

const chunk = (delta: unknown, finish: string | null = null, more: object = {}) => ({
  id: 'c',
  model: 'm',
  choices: [{ index: 0, delta, finish_reason: finish }],
  ...more,
})
const calls = (...pieces: readonly unknown[]) => chunk({ tool_calls: pieces })
const done = chunk({}, 'tool_calls')

/** Calls at the end of a stream, and the maximum number of open ones. */
const toolsIn = (events: readonly ChatEvent[]) => {
  const tools = new Map<number, { id: string; name: string; json: string }>()
  for (const event of events)
    if (event.type === 'open' && event.part.type === 'toolCall')
      tools.set(event.block, { id: event.part.id, name: event.part.name, json: '' })
    else if (event.type === 'delta') {
      const tool = tools.get(event.block)
      if (tool) tool.json += event.text
    }
  return [...tools.values()]
}
const errorIn = (events: readonly ChatEvent[]) => {
  const last = events.at(-1)
  return last?.type === 'error' ? last.error : undefined
}

test('a stream of Chat Completions', async (t) => {
  await t.test('distinguishes calls by id if the index is missing', () => {
    const events = eventsOfChunks(
      calls({ id: 'a', function: { name: 'f', arguments: '{"x":' } }),
      calls({ function: { arguments: '1}' } }),
      calls({ id: 'b', function: { name: 'g', arguments: '{}' } }),
      done,
      '[DONE]',
    )
    assert.deepEqual(toolsIn(events), [
      { id: 'a', name: 'f', json: '{"x":1}' },
      { id: 'b', name: 'g', json: '{}' },
    ])
  })

  await t.test('distinguishes calls by id if all have the same index', () => {
    const events = eventsOfChunks(
      calls({ index: 0, id: 'a', function: { name: 'f', arguments: '{}' } }),
      calls({ index: 0, id: 'b', function: { name: 'f', arguments: '{"y":2}' } }),
      done,
      '[DONE]',
    )
    assert.deepEqual(toolsIn(events), [
      { id: 'a', name: 'f', json: '{}' },
      { id: 'b', name: 'f', json: '{"y":2}' },
    ])
  })

  await t.test('treats a repeated id and name as the same call', () => {
    const piece = (text: string) =>
      calls({ index: 0, id: 'a', type: 'function', function: { name: 'f', arguments: text } })
    const events = eventsOfChunks(piece('{"x"'), piece(':1'), piece('}'), done, '[DONE]')
    assert.deepEqual(toolsIn(events), [{ id: 'a', name: 'f', json: '{"x":1}' }])
  })

  await t.test('accepts complete calls without id and index in sequence', () => {
    const events = eventsOfChunks(
      calls({ function: { name: 'f', arguments: '{}' } }, { function: { name: 'g', arguments: { y: 1 } } }),
      done,
      '[DONE]',
    )
    const tools = toolsIn(events)
    assert.deepEqual(
      tools.map(({ name, json }) => [name, json]),
      [
        ['f', '{}'],
        ['g', '{"y":1}'],
      ],
    )
    assert.equal(new Set(tools.map(({ id }) => id)).size, 2)
    assert.ok(tools.every(({ id }) => /^call_[0-9a-f]{32}$/.test(id)))
  })

  await t.test('buffers arguments that arrive before the name', () => {
    const events = eventsOfChunks(
      calls({ index: 0, id: 'a', function: { arguments: '{"x"' } }),
      calls({ index: 0, function: { name: 'f', arguments: ':1}' } }),
      done,
      '[DONE]',
    )
    assert.deepEqual(toolsIn(events), [{ id: 'a', name: 'f', json: '{"x":1}' }])
  })

  await t.test('reads a legacy function call as a tool call', () => {
    const events = eventsOfChunks(
      chunk({ function_call: { name: 'f', arguments: '' } }),
      chunk({ function_call: { arguments: '{"x":1}' } }),
      chunk({}, 'function_call'),
      '[DONE]',
    )
    assert.deepEqual(
      toolsIn(events).map(({ name, json }) => [name, json]),
      [['f', '{"x":1}']],
    )
    assert.deepEqual(events.at(-2), { type: 'finish', finish: 'toolCalls' })
  })

  await t.test('is complete without [DONE] if it has a stop reason', () => {
    assert.deepEqual(
      eventsOfChunks(chunk({ content: 'a' }), chunk({}, 'stop')).map(({ type }) => type),
      ['start', 'open', 'delta', 'close', 'finish', 'end'],
    )
  })

  await t.test('is complete with [DONE] if it has no stop reason', () => {
    const events = eventsOfChunks(chunk({ content: 'a' }), '[DONE]')
    assert.deepEqual(events.slice(-2), [{ type: 'finish', finish: 'stop' }, { type: 'end' }])
  })

  await t.test('emits nothing after its end, and accepts chunks after the stop reason', () => {
    const events = eventsOfChunks(
      chunk({ content: 'a' }, 'stop'),
      chunk({ content: 'b' }),
      '[DONE]',
      chunk({ content: 'c' }),
      '[DONE]',
      '{"error":{"message":"late"}}',
    )
    assert.deepEqual(
      events.flatMap((event) => (event.type === 'delta' ? event.text : [])),
      ['a', 'b'],
    )
    assert.deepEqual(
      events.filter(({ type }) => type === 'end' || type === 'error'),
      [{ type: 'end' }],
    )
  })

  await t.test('reads a choice in one piece, and ignores other choices', () => {
    const events = eventsOfChunks(
      { id: 'c', model: 'm', choices: [{ index: 1, delta: { content: 'no' }, finish_reason: 'stop' }] },
      { id: 'c', model: 'm', choices: [{ index: 0, message: { content: 'yes' }, finish_reason: 'stop' }] },
      '[DONE]',
    )
    assert.deepEqual(
      events.flatMap((event) => (event.type === 'delta' ? event.text : [])),
      ['yes'],
    )
  })

  await t.test('reports the matched stop sequence if the provider does', () => {
    const last = { id: 'c', choices: [{ index: 0, delta: {}, finish_reason: 'stop', stop_reason: 'END' }] }
    assert.deepEqual(eventsOfChunks(chunk({ content: 'a' }), last, '[DONE]').at(-2), {
      type: 'finish',
      finish: 'stopSequence',
      stopSequence: 'END',
    })
  })

  await t.test('ends with its own error, in any shape', () => {
    const begun = chunk({ content: 'a' })
    const cases: [unknown, unknown][] = [
      [
        { error: { message: 'slow down', type: 'requests', code: 'rate_limit_exceeded', param: 'p' } },
        { status: 429, message: 'slow down', type: 'requests', code: 'rate_limit_exceeded', param: 'p' },
      ],
      [
        { ...begun, error: { message: 'gone', code: 502 } },
        { status: 502, message: 'gone' },
      ],
      [
        { object: 'error', message: 'too long', type: 'BadRequestError', code: 400 },
        { status: 400, message: 'too long', type: 'BadRequestError' },
      ],
      [
        [{ error: { code: 503, message: 'busy', status: 'UNAVAILABLE' } }],
        { status: 503, message: 'busy', type: 'api_error', code: 'UNAVAILABLE' },
      ],
      [{ error: 'broken' }, { status: 500, message: 'broken' }],
      [chunk({}, 'error'), { status: 502, message: 'the provider broke the answer off' }],
    ]
    for (const [said, meant] of cases)
      assert.deepEqual(errorIn(eventsOfChunks(begun, said, chunk({ content: 'b' }), '[DONE]')), meant)
  })

  await t.test('ends with an error that names the problem', () => {
    const cases: [unknown, string][] = [
      ['{', 'invalid event in the stream: it is not JSON'],
      ['1', 'invalid event in the stream: it must be an object'],
      [{ choices: {} }, 'invalid event in the stream: choices must be an array'],
      [{ choices: [7] }, 'invalid event in the stream: choices[0] must be an object'],
      [chunk('a'), 'invalid event in the stream: choices[0].delta must be an object'],
      [chunk({ content: 7 }), 'invalid event in the stream: choices[0].delta.content must be a string'],
      [chunk({ refusal: [] }), 'invalid event in the stream: choices[0].delta.refusal must be a string'],
      [
        chunk({ tool_calls: {} }),
        'invalid event in the stream: choices[0].delta.tool_calls must be an array',
      ],
      [
        calls({ index: 'x' }),
        'invalid event in the stream: choices[0].delta.tool_calls.index must be a number',
      ],
      [
        calls({ index: 0, function: { name: {} } }),
        'invalid event in the stream: choices[0].delta.tool_calls.function.name must be a string',
      ],
      ['[DONE]', 'invalid event in the stream: there is no answer in it'],
    ]
    for (const [said, message] of cases)
      assert.deepEqual(errorIn(eventsOfChunks(said, '[DONE]')), { status: 502, message })
    assert.deepEqual(errorIn(eventsOfChunks(calls({ index: 0, id: 'a' }), done, '[DONE]')), {
      status: 502,
      message: 'invalid event in the stream: a tool call has no name',
    })
  })

  await t.test('ends with an error if it is empty', () => {
    assert.deepEqual(eventsOfChunks(), [
      { type: 'error', error: { status: 502, message: 'the stream ended before its end' } },
    ])
  })

  await t.test('keeps the order of events, whatever it contains', () => {
    const whole = {
      id: 'c',
      model: 'm',
      created: 1,
      choices: [
        {
          index: 0,
          delta: {
            role: 'assistant',
            content: 'a',
            refusal: 'b',
            reasoning_content: 'c',
            reasoning_details: [{ type: 'reasoning.text', text: 'd', signature: 'e' }],
            tool_calls: [
              {
                index: 0,
                id: 'f',
                function: { name: 'g', arguments: '{}' },
                extra_content: { google: { thought_signature: 'h' } },
              },
            ],
            function_call: { name: 'i', arguments: '' },
          },
          finish_reason: null,
        },
      ],
      usage: { prompt_tokens: 1, completion_tokens_details: { reasoning_tokens: 1 } },
    }
    const places = locationsIn(whole)
    assert.ok(places.length > 30)
    for (const place of places)
      for (const odd of [null, 7, -1, 1.5, true, '', 'x', [], {}, [null], [[]], { type: 'text' }])
        isInOrder(eventsOfChunks(chunk({ content: 'a' }), replaced(whole, place, odd), whole, done, '[DONE]'))
  })
})

/** By the contract of events. */
const isInOrder = (events: readonly ChatEvent[]): void => {
  const open = new Set<number>()
  let blocks = 0
  for (const [i, event] of events.entries()) {
    if (i === 0) assert.equal(event.type, 'start')
    if (event.type === 'open') {
      assert.equal(event.block, blocks++)
      open.add(event.block)
    } else if ('block' in event) assert.ok(open.has(event.block))
    if (event.type === 'close') open.delete(event.block)
    if (event.type === 'finish') assert.equal(open.size, 0)
    const isLast = event.type === 'end' || event.type === 'error'
    assert.equal(isLast, i === events.length - 1)
  }
}
