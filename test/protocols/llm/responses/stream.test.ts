import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ChatEvent } from '../../../../src/protocols/llm/chat/events.ts'
import { responses } from '../../../../src/protocols/llm/responses/codec.ts'
import { EventParser } from '../../../../src/protocols/sse/event-parser.ts'
import { llmStreamViolations } from '../../../../src/testing/index.ts'
import { streams } from './golden/streams.ts'
import { sse } from './golden/wire.ts'
import { writtenStreams } from './golden/written-streams.ts'

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

const asked = { model: 'asked', includeUsage: true }

/** The events of a stream, fed in pieces of bytes. */
const decode = (chunks: readonly Uint8Array[]): readonly ChatEvent[] => {
  const events: ChatEvent[] = []
  const tell = (event: ChatEvent) => events.push(event)
  const decoder = responses.decodeStream()
  const sink = {
    event: ({ event, data }: { event: string | undefined; data: string }) => {
      decoder.push(event, data, tell)
    },
    overflow: () => assert.fail('an event is too long'),
  }
  const parser = new EventParser(sink, 1024 * 1024)
  for (const chunk of chunks) parser.push(chunk)
  parser.end()
  decoder.end(tell)
  return events
}

const decodeEvents = (...events: readonly (object | string)[]): readonly ChatEvent[] =>
  decode(
    events.map((event) =>
      Buffer.from(`data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`),
    ),
  )

const encode = (events: readonly ChatEvent[]): string => {
  const encoder = responses.encodeStream(asked)
  return events.map((event) => encoder.encode(event)).join('')
}

const eventsOf = (text: string): readonly unknown[] => {
  const events: unknown[] = []
  const sink = {
    event: ({ event, data }: { event: string | undefined; data: string }) => {
      const parsed = JSON.parse(data) as { type: string }
      assert.equal(parsed.type, event)
      events.push(parsed)
    },
    overflow: () => assert.fail('an event is too long'),
  }
  const parser = new EventParser(sink, 1024 * 1024)
  parser.push(Buffer.from(text))
  parser.end()
  return events
}

const created = { type: 'response.created', response: { id: 'r', model: 'm' } }
const completed = { type: 'response.completed', response: { id: 'r', status: 'completed', output: [] } }

test('a stream of the Responses format', async (t) => {
  for (const [name, golden] of Object.entries(streams)) {
    await t.test(`is decoded: ${name}`, () => {
      assert.deepEqual(plain(decode([Buffer.from(sse(golden.wire))])), golden.meaning)
    })
    await t.test(`is decoded wherever its bytes are split: ${name}`, () => {
      const bytes = Buffer.from(sse(golden.wire))
      for (let cut = 1; cut < bytes.length; cut++)
        assert.deepEqual(
          plain(decode([bytes.subarray(0, cut), bytes.subarray(cut)])),
          golden.meaning,
          `cut at ${cut}`,
        )
    })
    await t.test(`that is truncated is an error, after the same beginning: ${name}`, () => {
      for (let length = 0; length < golden.wire.length; length++) {
        const events = plain(decode([Buffer.from(sse(golden.wire.slice(0, length)))])) as ChatEvent[]
        const last = events.pop()
        assert.equal(last?.type, 'error')
        assert.deepEqual(events, golden.meaning.slice(0, events.length))
      }
    })
  }

  await t.test('is decoded from providers that send members once, late, or without indexes', () => {
    const call = { type: 'function_call', call_id: 'c', name: 'f', arguments: '{"a":1}' }
    const text = { type: 'message', content: [{ type: 'output_text', text: 'Hi' }] }
    const open = (block: number, part: object) => ({ type: 'open', block, part })
    const expected = [
      { type: 'start', id: 'r', model: 'm' },
      open(0, { type: 'text' }),
      { type: 'delta', block: 0, text: 'Hi' },
      { type: 'close', block: 0 },
      open(1, { type: 'toolCall', id: 'c', name: 'f' }),
      { type: 'delta', block: 1, text: '{"a":1}' },
      { type: 'close', block: 1 },
      { type: 'finish', finish: 'toolCalls' },
      { type: 'end' },
    ]
    const done = (item: object, place?: number) => ({
      type: 'response.output_item.done',
      output_index: place,
      item,
    })
    assert.deepEqual(plain(decodeEvents(created, done(text, 0), done(call, 1), completed)), expected)
    assert.deepEqual(
      plain(
        decodeEvents({
          ...completed,
          response: { id: 'r', model: 'm', status: 'completed', output: [text, call] },
        }),
      ),
      expected,
    )
    assert.deepEqual(
      plain(
        decodeEvents(
          created,
          { type: 'response.output_text.delta', delta: 'H' },
          { type: 'response.output_text.done', text: 'Hi' },
          done(text),
          { type: 'response.output_item.added', output_index: 1, item: { ...call, arguments: '' } },
          { type: 'response.function_call_arguments.done', arguments: '{"a":1}' },
          { type: 'response.surprise', output_index: 1, delta: 7 },
          done(call),
          done(call),
          completed,
          '[DONE]',
          completed,
        ),
      ),
      [
        ...expected.slice(0, 2),
        { type: 'delta', block: 0, text: 'H' },
        { type: 'delta', block: 0, text: 'i' },
        ...expected.slice(3),
      ],
    )
  })

  await t.test('is decoded from providers that give every item the same index', () => {
    const item = (name: string) => ({ type: 'function_call', call_id: name, name, arguments: '' })
    const events = decodeEvents(
      created,
      { type: 'response.output_item.added', output_index: 0, item: item('a') },
      { type: 'response.output_item.added', output_index: 0, item: item('b') },
      { type: 'response.function_call_arguments.delta', output_index: 0, delta: '{}' },
      completed,
    )
    assert.deepEqual(plain(events.slice(1, -2)), [
      { type: 'open', block: 0, part: { type: 'toolCall', id: 'a', name: 'a' } },
      { type: 'close', block: 0 },
      { type: 'open', block: 1, part: { type: 'toolCall', id: 'b', name: 'b' } },
      { type: 'delta', block: 1, text: '{}' },
      { type: 'close', block: 1 },
    ])
  })

  await t.test('is decoded from providers that send the full reasoning', () => {
    const delta = (text: string) => ({ type: 'response.reasoning_text.delta', output_index: 0, delta: text })
    const events = decodeEvents(
      created,
      { type: 'response.output_item.added', output_index: 0, item: { type: 'reasoning', summary: [] } },
      delta('I '),
      delta('think.'),
      { type: 'response.reasoning_text.done', output_index: 0, text: 'I think.' },
      { type: 'response.reasoning_summary_text.delta', output_index: 0, summary_index: 0, delta: 'thought' },
      completed,
    )
    assert.deepEqual(plain(events.slice(1, -2)), [
      { type: 'open', block: 0, part: { type: 'thinking' } },
      { type: 'delta', block: 0, text: 'I ' },
      { type: 'delta', block: 0, text: 'think.' },
      { type: 'close', block: 0 },
    ])
  })

  await t.test('that is broken is an error, and nothing after it', () => {
    const broken: readonly (object | string)[] = [
      '{',
      '7',
      'null',
      '[]',
      { type: 7 },
      { type: 'response.output_text.delta', delta: 7 },
      { type: 'response.output_text.delta', output_index: 'x', delta: 'a' },
      { type: 'response.output_text.delta', output_index: 0.5, delta: 'a' },
      { type: 'response.output_item.added', output_index: 0 },
      { type: 'response.output_item.added', output_index: 0, item: { type: 'function_call', name: 'f' } },
      { type: 'response.output_item.done', output_index: 0, item: { type: 'message', content: 'x' } },
      { type: 'response.function_call_arguments.delta', output_index: 9, delta: '{}' },
      { type: 'response.content_part.added', output_index: 0, part: 'x' },
      { type: 'response.completed' },
      { type: 'response.completed', response: { output: 'x' } },
    ]
    for (const event of broken) {
      const [start, error, ...more] = decodeEvents(created, event, completed)
      assert.equal(start?.type, 'start')
      assert.ok(error?.type === 'error' && error.error.status === 502, JSON.stringify([event, error]))
      assert.deepEqual(more, [])
    }
  })

  await t.test('may contain an error in any known shape', () => {
    const errorOf = (event: object): unknown => {
      const [error] = decodeEvents(event)
      assert.ok(error?.type === 'error')
      return plain(error.error)
    }
    const message = 'Boom.'
    assert.deepEqual(
      errorOf({ type: 'error', error: { type: 'invalid_request_error', message, code: null } }),
      {
        status: 400,
        message,
        type: 'invalid_request_error',
      },
    )
    assert.deepEqual(errorOf({ error: { type: 'server_error', message } }), {
      status: 500,
      message,
      type: 'server_error',
    })
    assert.deepEqual(
      errorOf({ type: 'response.failed', response: { error: { code: 'invalid_prompt', message } } }),
      {
        status: 400,
        message,
        code: 'invalid_prompt',
      },
    )
    assert.deepEqual(errorOf({ type: 'response.failed' }), {
      status: 500,
      message: 'the provider failed without saying why',
    })
  })

  for (const [name, golden] of Object.entries(writtenStreams))
    await t.test(`is encoded: ${name}`, () => {
      const text = encode(golden.events)
      const isBeforeStart = golden.events[0]?.type === 'error'
      assert.deepEqual(eventsOf(text), plain(golden.wire))
      assert.deepEqual(llmStreamViolations('responses', text), [], isBeforeStart ? 'only an error' : '')
    })

  await t.test('is encoded as an equivalent of what was decoded', () => {
    for (const { meaning } of Object.values(streams)) {
      const text = encode(meaning)
      assert.deepEqual(llmStreamViolations('responses', text), [])
      const kept = (events: readonly ChatEvent[]) =>
        (plain(events) as ChatEvent[]).filter(({ type }) => type !== 'usage' && type !== 'error')
      assert.deepEqual(kept(decode([Buffer.from(text)])), kept(meaning))
    }
  })

  await t.test('is over after its end, and ignores deltas of unknown items', () => {
    const encoder = responses.encodeStream(asked)
    assert.equal(encoder.encode({ type: 'delta', block: 3, text: 'x' }), '')
    assert.equal(encoder.encode({ type: 'close', block: 3 }), '')
    assert.notEqual(encoder.encode({ type: 'start', id: '', model: '' }), '')
    assert.notEqual(encoder.encode({ type: 'end' }), '')
    assert.equal(encoder.encode({ type: 'end' }), '')
    assert.equal(encoder.encode({ type: 'error', error: { status: 500, message: 'x' } }), '')
  })

  await t.test('of another provider is ended with both error events', () => {
    const events = eventsOf(responses.encodeStreamError({ status: 429, message: 'Slow down.' }))
    const [error, failed] = events as [Record<string, unknown>, { response: Record<string, unknown> }]
    assert.deepEqual(error, {
      type: 'error',
      sequence_number: 0,
      code: null,
      message: 'Slow down.',
      param: null,
    })
    assert.equal(failed.response.status, 'failed')
    assert.deepEqual(failed.response.error, { code: 'rate_limit_exceeded', message: 'Slow down.' })
  })

  await t.test('has attributes in few of its events', () => {
    const { wire } = streams['a text']!
    const facts = responses.streamAttributes()
    let looked = 0
    for (const event of wire) {
      assert.equal(facts.isComplete, false)
      if (!facts.concerns(Buffer.from(sse([event])))) continue
      looked++
      facts.push(event.type, JSON.stringify(event))
    }
    assert.equal(looked, 3)
    assert.equal(facts.isComplete, true)
    assert.equal(facts.attributes.model, 'gpt-5.1')
    assert.equal(facts.attributes.usage?.totalTokens, 16)
    const quoting = { type: 'response.output_text.delta', delta: 'say "response" and "error"' }
    assert.equal(facts.concerns(Buffer.from(sse([quoting]))), false)
  })

  await t.test('that fails has usage as well, and garbage has none', () => {
    const facts = responses.streamAttributes()
    for (const data of ['{', '7', '{"response":7}', '{"type":"response.completed_not","response":{}}'])
      facts.push(undefined, data)
    assert.equal(facts.isComplete, false)
    const usage = { input_tokens: 3, output_tokens: 4 }
    facts.push(undefined, JSON.stringify({ type: 'response.failed', response: { usage } }))
    assert.equal(facts.isComplete, true)
    assert.equal(facts.attributes.usage?.inputTokens, 3)
  })
})
