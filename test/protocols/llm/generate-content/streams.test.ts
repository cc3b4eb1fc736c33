import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ReplyOptions } from '../../../../src/protocols/llm/chat/codec.ts'
import type { ChatEvent } from '../../../../src/protocols/llm/chat/events.ts'
import { generateContent } from '../../../../src/protocols/llm/generate-content/codec.ts'
import { llmStreamViolations } from '../../../../src/testing/llm-streams/validator.ts'
import { EventParser } from '../../../../src/protocols/sse/event-parser.ts'
import { goldensOf, plain } from '../goldens.ts'

const folder = new URL('golden/', import.meta.url)
const streams = goldensOf<{ readonly events: readonly ChatEvent[] }>(folder, 'stream')
const written = goldensOf<{ readonly asked: ReplyOptions; readonly events: readonly ChatEvent[] }>(
  folder,
  'written',
)

/** The events of a stream in these chunks. */
const eventsOf = (chunks: readonly Uint8Array[]): readonly ChatEvent[] => {
  const told: ChatEvent[] = []
  const tell = (event: ChatEvent): void => void told.push(event)
  const decoder = generateContent.decodeStream()
  const parser = new EventParser(
    {
      event: ({ event, data }) => {
        decoder.push(event, data, tell)
      },
      overflow: () => assert.fail('the event is too long'),
    },
    1024 * 1024,
  )
  for (const chunk of chunks) parser.push(chunk)
  parser.end()
  decoder.end(tell)
  return told
}

test('the folder has transcripts', () => {
  assert.equal(streams.length, 6)
  assert.equal(written.length, 3)
})

for (const { name, golden, text } of streams)
  test(`decodes ${name}, wherever it is split`, () => {
    const bytes = Buffer.from(text)
    for (let cut = 0; cut <= bytes.length; cut++)
      assert.deepEqual(
        plain(eventsOf([bytes.subarray(0, cut), bytes.subarray(cut)])),
        golden.events,
        `cut at ${cut}`,
      )
  })

for (const { name, golden, text } of written)
  test(`encodes ${name}`, () => {
    const encoder = generateContent.encodeStream(golden.asked)
    assert.equal(golden.events.map((event) => encoder.encode(event)).join(''), text)
  })

test('the transcripts are valid, except the truncated stream', () => {
  for (const { name, text } of [...streams, ...written])
    assert.equal(llmStreamViolations('generateContent', text).length > 0, name === 'stream-cut', name)
})

const single = (chunk: unknown): unknown =>
  plain(eventsOf([Buffer.from(`data: ${JSON.stringify(chunk)}\n\n`)]))

const failure = (message: string): unknown => ({ type: 'error', error: { status: 502, message } })

test('reports an invalid chunk as an error, and nothing after it', () => {
  const nothing = 'the stream of the provider ended before its answer did'
  assert.deepEqual(plain(eventsOf([])), [failure(nothing)])
  assert.deepEqual(plain(eventsOf([Buffer.from('data: {"a\n\ndata: {}\n\n')])), [
    failure('an event of the stream is not JSON'),
  ])
  assert.deepEqual(single(null), [failure('an event of the stream is not a JSON object')])
  assert.deepEqual(single({ candidates: 1 }), [
    { type: 'start', id: '', model: '' },
    failure('candidates[0] must be an object'),
  ])
  assert.deepEqual(single({ candidates: [{ content: { parts: [{ text: 7 }] } }] }), [
    { type: 'start', id: '', model: '' },
    failure('candidates[0].content.parts[0].text must be a string'),
  ])
  assert.deepEqual(
    single({ candidates: [{ content: { parts: [{ functionCall: { partialArgs: [] } }] } }] }),
    [
      { type: 'start', id: '', model: '' },
      failure('candidates[0].content.parts[0].functionCall.partialArgs is not supported'),
    ],
  )
  assert.deepEqual(single({ modelVersion: {} }), [failure('modelVersion must be a string')])
})

test('decodes an error that is wrapped in a list, and one that has only a status name', () => {
  assert.deepEqual(single([{ error: { status: 'UNAVAILABLE', message: 'later' } }]), [
    { type: 'error', error: { status: 503, message: 'later', type: 'api_error', code: 'UNAVAILABLE' } },
  ])
})

test('creates an id for each call without one', () => {
  const call = { functionCall: { name: 'f' } }
  const events = eventsOf([
    Buffer.from(
      `data: ${JSON.stringify({ candidates: [{ content: { parts: [call, call] }, finishReason: 'STOP' }] })}\n\n`,
    ),
  ])
  const ids = events.flatMap((event) =>
    event.type === 'open' && event.part.type === 'toolCall' ? [event.part.id] : [],
  )
  assert.equal(new Set(ids).size, 2)
  for (const id of ids) assert.match(id, /^call_[0-9a-f]{32}$/)
})

test('ignores candidates after the first', () => {
  assert.deepEqual(
    single({
      candidates: [
        { index: 1, content: { parts: [{ text: 'no' }] }, finishReason: 'MAX_TOKENS' },
        { index: 0, finishReason: 'STOP' },
      ],
    }),
    [{ type: 'start', id: '', model: '' }, { type: 'finish', finish: 'stop' }, { type: 'end' }],
  )
})

test('accepts a stop reason in every chunk, and uses the last', () => {
  const chunks = ['a', 'b'].map(
    (text) =>
      `data: ${JSON.stringify({ candidates: [{ content: { parts: [{ text }] }, finishReason: 'STOP' }] })}\n\n`,
  )
  assert.deepEqual(
    eventsOf([Buffer.from(chunks.join(''))]).map(({ type }) => type),
    ['start', 'open', 'delta', 'delta', 'close', 'finish', 'end'],
  )
})

for (const { name, golden, text } of streams)
  test(`finds the attributes of ${name}`, () => {
    const facts = generateContent.streamAttributes()
    for (const event of text.split('\r\n\r\n').filter((one) => one !== ''))
      if (facts.concerns(Buffer.from(event))) facts.push(undefined, event.slice('data: '.length))
    const usage = golden.events.findLast((event) => event.type === 'usage')
    assert.deepEqual(plain(facts.attributes.usage ?? {}), usage?.usage ?? {})
    assert.equal(facts.isComplete, name !== 'stream-cut')
  })

test('does not treat the end marker within the arguments of a call as the end', () => {
  const facts = generateContent.streamAttributes()
  const args = { finishReason: 'STOP', error: {} }
  facts.push(
    undefined,
    JSON.stringify({ candidates: [{ content: { parts: [{ functionCall: { args } }] } }] }),
  )
  assert.equal(facts.isComplete, false)
})
