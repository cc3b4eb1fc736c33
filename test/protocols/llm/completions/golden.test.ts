import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { suite, test } from 'node:test'
import type { ReplyOptions } from '../../../../src/protocols/llm/chat/codec.ts'
import type { ChatEvent } from '../../../../src/protocols/llm/chat/events.ts'
import type { ChatReply } from '../../../../src/protocols/llm/chat/reply.ts'
import type { ChatRequest } from '../../../../src/protocols/llm/chat/request.ts'
import { completions } from '../../../../src/protocols/llm/completions/codec.ts'
import { Losses } from '../../../../src/protocols/llm/dropped-fields.ts'
import { llmStreamViolations } from '../../../../src/testing/llm-streams/validator.ts'
import { eventsOf } from './events-of.ts'

interface Golden<T> {
  readonly wire: Record<string, unknown>
  readonly common: T
  readonly losses: readonly string[]
  readonly written?: Record<string, unknown>
  readonly writtenLosses?: readonly string[]
}

interface GoldenStream {
  readonly asked: ReplyOptions
  readonly events: readonly ChatEvent[]
  readonly readOnly?: string
}

const folder = join(import.meta.dirname, 'golden')
const asked: ReplyOptions = { model: 'asked', includeUsage: true }

suite('golden requests of Chat Completions', () => {
  for (const [name, golden] of readAll<Golden<ChatRequest>>('requests')) {
    test(`${name} is decoded`, () => {
      const losses = new Losses()
      assert.deepEqual(plain(completions.decodeRequest(golden.wire, {}, losses)), golden.common)
      assert.deepEqual(losses.fields, golden.losses)
    })
    test(`${name} is encoded`, () => {
      const losses = new Losses()
      const written = plain(completions.encodeRequest(golden.common, losses))
      assert.deepEqual(written, golden.written ?? golden.wire)
      assert.deepEqual(losses.fields, golden.writtenLosses ?? [])
    })
  }
})

suite('golden responses of Chat Completions', () => {
  for (const [name, golden] of readAll<Golden<ChatReply>>('replies')) {
    test(`${name} is decoded`, () => {
      const losses = new Losses()
      assert.deepEqual(plain(completions.decodeReply(golden.wire, losses)), golden.common)
      assert.deepEqual(losses.fields, golden.losses)
    })
    test(`${name} is encoded`, () => {
      const losses = new Losses()
      const written = plain(completions.encodeReply(golden.common, asked, losses))
      assert.deepEqual(written, golden.written ?? golden.wire)
      assert.deepEqual(losses.fields, golden.writtenLosses ?? [])
    })
  }
})

suite('golden streams of Chat Completions', () => {
  for (const [name, golden] of readAll<GoldenStream>('streams')) {
    const text = readFileSync(join(folder, 'streams', `${name}.sse`))

    test(`${name} is decoded the same wherever its chunks are split`, () => {
      assert.deepEqual(eventsOf([text]), golden.events)
      for (let at = 1; at < text.length; at++)
        assert.deepEqual(eventsOf([text.subarray(0, at), text.subarray(at)]), golden.events, `cut at ${at}`)
      assert.deepEqual(eventsOf(Array.from(text, (byte) => Buffer.of(byte))), golden.events)
    })

    test(`${name} is encoded as a valid stream`, () => {
      const encoder = completions.encodeStream(golden.asked)
      const written = golden.events.map((event) => encoder.encode(event)).join('')
      assert.deepEqual(llmStreamViolations('completions', written), [])
      if (!golden.readOnly) assert.deepEqual(dataOf(written), dataOf(text.toString()))
    })

    test(`${name} is decoded as it was encoded`, () => {
      const encoder = completions.encodeStream({ ...golden.asked, includeUsage: true })
      const written = golden.events.map((event) => encoder.encode(event)).join('')
      assert.deepEqual(unordered(eventsOf([Buffer.from(written)])), unordered(withStatus(golden.events)))
    })
  }
})

function readAll<T>(kind: string): (readonly [string, T])[] {
  const paths = globSync(join(folder, kind, '*.json')).sort()
  assert.ok(paths.length > 4)
  return paths.map((path) => [basename(path, '.json'), JSON.parse(readFileSync(path, 'utf8')) as T])
}

/** After a round trip through JSON: without members that are undefined. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

const dataOf = (text: string): unknown[] =>
  text
    .split('\n\n')
    .filter((event) => event !== '')
    .map((event) => event.slice('data: '.length))
    .map((data) => (data === '[DONE]' ? data : JSON.parse(data)) as unknown)

/** Usage may arrive at any time. */
const unordered = (events: readonly ChatEvent[]): readonly ChatEvent[] => [
  ...events.filter(({ type }) => type !== 'usage'),
  ...events.filter(({ type }) => type === 'usage'),
]

/** An error in a stream has no status of its own: it follows from its type. */
const withStatus = (events: readonly ChatEvent[]): readonly ChatEvent[] =>
  events.map((event) =>
    event.type === 'error'
      ? { type: 'error', error: { type: 'api_error', ...event.error, status: 500 } }
      : event,
  )
