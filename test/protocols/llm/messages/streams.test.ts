import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonObject } from '../../../../src/protocols/json/json-object.ts'
import type { ChatEvent } from '../../../../src/protocols/llm/chat/events.ts'
import { Losses } from '../../../../src/protocols/llm/dropped-fields.ts'
import { messages } from '../../../../src/protocols/llm/messages/codec.ts'
import { EventParser, type ReceivedEvent } from '../../../../src/protocols/sse/event-parser.ts'
import { llmStreamViolations } from '../../../../src/testing/llm-streams/validator.ts'
import { goldenStreams } from './golden.ts'

/** The events of a text in these chunks. */
const received = (chunks: readonly Uint8Array[]): ReceivedEvent[] => {
  const all: ReceivedEvent[] = []
  const parser = new EventParser(
    { event: (event) => all.push(event), overflow: () => assert.fail('too long') },
    1 << 20,
  )
  for (const chunk of chunks) parser.push(chunk)
  parser.end()
  return all
}

const decoded = (chunks: readonly Uint8Array[], losses = new Losses()): ChatEvent[] => {
  const told: ChatEvent[] = []
  const decoder = messages.decodeStream(losses)
  for (const { event, data } of received(chunks)) decoder.push(event, data, (one) => told.push(one))
  decoder.end((one) => told.push(one))
  return told
}

const encoded = (events: readonly ChatEvent[], losses = new Losses()): string => {
  const encoder = messages.encodeStream({ model: 'asked', includeUsage: true }, losses)
  return events.map((event) => encoder.encode(event)).join('')
}

/** The events of a text; each has the name in its data. */
const datas = (text: string): JsonObject[] =>
  received([Buffer.from(text)]).map(({ event, data }) => {
    const parsed = JSON.parse(data) as JsonObject
    assert.equal(event, parsed.type)
    return parsed
  })

/** Removes what is invisible to clients: pings, and deltas without text. */
const shows = (data: JsonObject): boolean =>
  data.type !== 'ping' && (data.delta as JsonObject | undefined)?.partial_json !== ''

test('golden streams of Messages', async (t) => {
  for (const golden of goldenStreams()) {
    const bytes = Buffer.from(golden.text)
    await t.test(`decodes ${golden.name}`, () => {
      const losses = new Losses()
      assert.deepEqual(decoded([bytes], losses), golden.events)
      assert.deepEqual(losses.fields, golden.losses)
    })
    await t.test(`decodes ${golden.name} wherever it is split into two`, () => {
      for (let at = 1; at < bytes.length; at++)
        assert.deepEqual(decoded([bytes.subarray(0, at), bytes.subarray(at)]), golden.events, `at ${at}`)
    })
    if (golden.readOnly === undefined)
      await t.test(`encodes ${golden.name}`, () => {
        const losses = new Losses()
        const text = encoded(golden.events, losses)
        assert.deepEqual(datas(text), golden.written ?? datas(golden.text).filter(shows))
        assert.deepEqual(losses.fields, [])
        assert.deepEqual(llmStreamViolations('messages', text), [])
      })
  }
})

test('decoding a stream', async (t) => {
  const start = { type: 'message_start', message: { id: 'i', model: 'm' } }
  const open = (index: number, content_block: JsonObject) => ({
    type: 'content_block_start',
    index,
    content_block,
  })
  const text = open(0, { type: 'text', text: '' })
  const delta = (index: number, one: JsonObject) => ({ type: 'content_block_delta', index, delta: one })
  const close = (index: number) => ({ type: 'content_block_stop', index })
  const stop = { type: 'message_stop' }

  const read = (...events: readonly unknown[]): ChatEvent[] => {
    const told: ChatEvent[] = []
    const decoder = messages.decodeStream()
    for (const event of events) decoder.push(undefined, JSON.stringify(event), (one) => told.push(one))
    decoder.end((one) => told.push(one))
    return told
  }

  await t.test('uses the complete input of a call at its start, if there are no deltas', () => {
    const block = open(0, { type: 'tool_use', id: 'a', name: 'f', input: { b: 1 } })
    assert.deepEqual(read(start, block, close(0), stop), [
      { type: 'start', id: 'i', model: 'm' },
      { type: 'open', block: 0, part: { type: 'toolCall', id: 'a', name: 'f' } },
      { type: 'delta', block: 0, text: '{"b":1}' },
      { type: 'close', block: 0 },
      { type: 'finish', finish: 'toolCalls' },
      { type: 'end' },
    ])
  })

  await t.test('uses the initial text of a block', () => {
    const block = open(0, { type: 'thinking', thinking: 'a', signature: 's' })
    assert.deepEqual(read(start, block, open(1, { type: 'text', text: 'b' }), stop).slice(1), [
      { type: 'open', block: 0, part: { type: 'thinking' } },
      { type: 'delta', block: 0, text: 'a' },
      { type: 'signature', block: 0, signature: 's' },
      { type: 'open', block: 1, part: { type: 'text' } },
      { type: 'delta', block: 1, text: 'b' },
      { type: 'close', block: 0 },
      { type: 'close', block: 1 },
      { type: 'finish', finish: 'stop' },
      { type: 'end' },
    ])
  })

  await t.test('uses the usage at the end if it corrects the start', () => {
    const message = { id: 'i', model: 'glm', usage: { input_tokens: 34_824, output_tokens: 0 } }
    const end = {
      type: 'message_delta',
      delta: { stop_reason: 'end_turn' },
      usage: {
        input_tokens: 3883,
        output_tokens: 49,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 30_464,
      },
    }
    const usages = read({ type: 'message_start', message }, end, stop).flatMap((event) =>
      event.type === 'usage' ? [event.usage] : [],
    )
    assert.deepEqual(usages.at(-1), {
      inputTokens: 34_347,
      providerInputTokens: 3883,
      outputTokens: 49,
      totalTokens: 34_396,
      cachedInputTokens: 30_464,
      cacheCreationInputTokens: 0,
    })
  })

  await t.test('keeps the usage at the start if the end has none', () => {
    const message = {
      id: 'i',
      model: 'm',
      usage: { input_tokens: 50, cache_read_input_tokens: 4, output_tokens: 1 },
    }
    const end = {
      type: 'message_delta',
      delta: { stop_reason: 'end_turn' },
      usage: { input_tokens: 0, cache_read_input_tokens: null, output_tokens: 9 },
    }
    assert.deepEqual(
      read({ type: 'message_start', message }, end, stop).find((e, i) => i > 2 && e.type === 'usage'),
      {
        type: 'usage',
        usage: {
          inputTokens: 54,
          providerInputTokens: 50,
          outputTokens: 9,
          totalTokens: 63,
          cachedInputTokens: 4,
        },
      },
    )
  })

  await t.test('emits nothing after the end, and after an error', () => {
    assert.equal(read(start, stop, start, text).at(-1)?.type, 'end')
    const error = { type: 'error', error: { type: 'api_error', message: 'a' } }
    assert.deepEqual(read(error, start, stop), [
      { type: 'error', error: { status: 500, message: 'a', type: 'api_error' } },
    ])
  })

  await t.test('ends with an error if the stream is incomplete', () => {
    const deep = JSON.parse(`${'{"a":'.repeat(600)}1${'}'.repeat(600)}`) as JsonObject
    const wrong: unknown[][] = [
      [],
      [1],
      [[]],
      [text],
      [stop],
      [start, start],
      [{ type: 'message_start' }],
      [{ type: 'message_delta', delta: { stop_reason: 'end_turn' } }],
      [start, open(0, { type: 5 })],
      [start, { type: 'content_block_start', index: 0 }],
      [start, { type: 'content_block_start', content_block: { type: 'text' } }],
      [start, text, text],
      [start, open(0, { type: 'tool_use', id: 'a' })],
      [start, open(0, { type: 'redacted_thinking' })],
      [start, delta(0, { type: 'text_delta', text: 'a' })],
      [start, text, delta(1, { type: 'text_delta', text: 'a' })],
      [start, text, delta(0, { type: 'input_json_delta', partial_json: 'a' })],
      [start, text, delta(0, { type: 'text_delta', text: 5 })],
      [start, text, { type: 'content_block_delta', index: 0 }],
      [start, open(0, { type: 'tool_use', id: 'a', name: 'f', input: deep })],
      [start, text, close(1)],
      [start, text, close(0), close(0)],
      [start, { type: 'message_delta', delta: { stop_reason: 'end_turn' } }, text],
    ]
    for (const events of wrong) {
      const last = read(...events).at(-1)
      assert.ok(last?.type === 'error' && last.error.status === 502, JSON.stringify(events))
    }
  })

  await t.test('treats invalid JSON as an error', () => {
    const told: ChatEvent[] = []
    const decoder = messages.decodeStream()
    decoder.push('message_start', '<html>', (one) => told.push(one))
    decoder.end((one) => told.push(one))
    assert.deepEqual(
      told.map(({ type }) => type),
      ['error'],
    )
  })
})

test('encoding a stream', async (t) => {
  const start = { type: 'start', id: 'i', model: '' } as const
  const call = (id: string) => ({ type: 'toolCall', id, name: 'f' }) as const
  const shape = (events: readonly ChatEvent[]) =>
    datas(encoded(events)).map((data) => {
      const { type, index } = data
      const delta = data.delta as JsonObject | undefined
      return [type, index, delta?.text ?? delta?.partial_json ?? delta?.thinking].filter(
        (one) => one !== undefined,
      )
    })

  await t.test('serializes overlapping blocks without loss', () => {
    const events: ChatEvent[] = [
      start,
      { type: 'open', block: 0, part: { type: 'text' } },
      { type: 'open', block: 1, part: call('a') },
      { type: 'open', block: 2, part: call('b') },
      { type: 'delta', block: 0, text: 'hi' },
      { type: 'delta', block: 2, text: '{"b"' },
      { type: 'delta', block: 1, text: '{"a"' },
      { type: 'close', block: 0 },
      { type: 'delta', block: 1, text: ':1}' },
      { type: 'delta', block: 2, text: ':2}' },
      { type: 'close', block: 2 },
      { type: 'close', block: 1 },
      { type: 'finish', finish: 'toolCalls' },
      { type: 'end' },
    ]
    assert.deepEqual(shape(events), [
      ['message_start'],
      ['content_block_start', 0],
      ['content_block_delta', 0, 'hi'],
      ['content_block_stop', 0],
      ['content_block_start', 1],
      ['content_block_delta', 1, '{"a"'],
      ['content_block_delta', 1, ':1}'],
      ['content_block_stop', 1],
      ['content_block_start', 2],
      ['content_block_delta', 2, '{"b":2}'],
      ['content_block_stop', 2],
      ['message_delta'],
      ['message_stop'],
    ])
  })

  await t.test('sends a block as soon as those before it are closed', () => {
    const encoder = messages.encodeStream({ model: 'm', includeUsage: false })
    encoder.encode(start)
    encoder.encode({ type: 'open', block: 0, part: call('a') })
    assert.equal(encoder.encode({ type: 'open', block: 1, part: call('b') }), '')
    assert.match(encoder.encode({ type: 'close', block: 0 }), /content_block_stop[^]*content_block_start/)
    assert.match(encoder.encode({ type: 'delta', block: 1, text: '{' }), /input_json_delta/)
  })

  await t.test('omits empty texts', () => {
    const events: ChatEvent[] = [
      start,
      { type: 'open', block: 0, part: { type: 'text' } },
      { type: 'delta', block: 0, text: '' },
      { type: 'close', block: 0 },
      { type: 'open', block: 1, part: { type: 'thinking' } },
      { type: 'close', block: 1 },
      { type: 'open', block: 2, part: { type: 'text' } },
      { type: 'delta', block: 2, text: 'a' },
      { type: 'close', block: 2 },
      { type: 'finish', finish: 'stop' },
      { type: 'end' },
    ]
    assert.deepEqual(shape(events), [
      ['message_start'],
      ['content_block_start', 0],
      ['content_block_delta', 0, 'a'],
      ['content_block_stop', 0],
      ['message_delta'],
      ['message_stop'],
    ])
  })

  await t.test('includes usage that arrives after the last block', () => {
    const usage = { inputTokens: 10, cachedInputTokens: 4, outputTokens: 3, reasoningTokens: 2 }
    const all = datas(
      encoded([start, { type: 'finish', finish: 'stop' }, { type: 'usage', usage }, { type: 'end' }]),
    )
    assert.equal((all[0]?.message as JsonObject).model, 'asked')
    assert.deepEqual(all[1]?.usage, {
      input_tokens: 6,
      cache_creation_input_tokens: null,
      cache_read_input_tokens: 4,
      output_tokens: 3,
      output_tokens_details: { thinking_tokens: 2 },
      server_tool_use: null,
    })
  })

  await t.test('ends with an error at any time, and writes nothing after it', () => {
    const error = { status: 429, message: 'slow\ndown', type: 'tokens' }
    const written =
      'event: error\ndata: {"type":"error","error":{"type":"rate_limit_error","message":"slow\\ndown"}}\n\n'
    assert.equal(encoded([{ type: 'error', error }, start, { type: 'end' }]), written)
    assert.equal(messages.encodeStreamError(error), written)
    assert.equal(encoded([start, { type: 'error', error }, { type: 'end' }]).endsWith(written), true)
  })

  await t.test('reports signatures of calls, which are not supported', () => {
    const losses = new Losses()
    const events: ChatEvent[] = [
      start,
      { type: 'open', block: 0, part: call('a') },
      { type: 'signature', block: 0, signature: 's' },
      { type: 'close', block: 0 },
    ]
    assert.doesNotMatch(encoded(events, losses), /signature/)
    assert.deepEqual(losses.fields, ['content.toolCall.signature'])
  })
})
