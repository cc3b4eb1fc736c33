import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AwsEventDecoder } from '../../../../src/protocols/aws-event-stream/decoder.ts'
import { encodeEvent, encodeException } from '../../../../src/protocols/aws-event-stream/event.ts'
import type { ChatEvent } from '../../../../src/protocols/llm/chat/events.ts'
import { converse } from '../../../../src/protocols/llm/converse/codec.ts'
import { goldensOf, plain } from '../goldens.ts'

interface StreamGolden {
  readonly wire: readonly (readonly [string, object])[]
  readonly events: readonly ChatEvent[]
}

const streams = goldensOf<StreamGolden>(new URL('golden/', import.meta.url), 'stream')

const framesOf = (wire: StreamGolden['wire']): readonly Buffer[] =>
  wire.map(([name, payload]) =>
    (name.endsWith('Exception') ? encodeException : encodeEvent)(name, JSON.stringify(payload)),
  )

const eventsOf = (chunks: readonly Uint8Array[]): unknown => {
  const told: ChatEvent[] = []
  const tell = (event: ChatEvent): void => void told.push(event)
  const decoder = converse.decodeStream()
  const frames = new AwsEventDecoder(1024 * 1024, {
    event: (name, data) => {
      decoder.push(name, data, tell)
    },
    broken: (problem) => assert.fail(problem),
  })
  for (const chunk of chunks) frames.push(chunk)
  frames.end()
  decoder.end(tell)
  return plain(told)
}

test('the folder has transcripts', () => {
  assert.equal(streams.length, 6)
})

for (const { name, golden } of streams) {
  test(`decodes ${name}, wherever it is split`, () => {
    const bytes = Buffer.concat(framesOf(golden.wire))
    for (let cut = 0; cut <= bytes.length; cut++)
      assert.deepEqual(
        eventsOf([bytes.subarray(0, cut), bytes.subarray(cut)]),
        golden.events,
        `cut at ${cut}`,
      )
  })

  test(`finds the attributes of ${name}`, () => {
    const facts = converse.streamAttributes()
    for (const [i, frame] of framesOf(golden.wire).entries()) {
      const [event, payload] = golden.wire[i]!
      if (facts.concerns(frame)) facts.push(event, JSON.stringify(payload))
    }
    const usage = golden.events.findLast((event) => event.type === 'usage')
    assert.deepEqual(plain(facts.attributes.usage ?? {}), usage?.usage ?? {})
    assert.equal(facts.isComplete, name !== 'stream-cut')
  })
}

const told = (name: string | undefined, data: string): unknown => {
  const events: ChatEvent[] = []
  converse.decodeStream().push(name, data, (event) => void events.push(event))
  return plain(events)
}

test('reports an invalid event as an error', () => {
  const failure = (message: string): unknown => ({ type: 'error', error: { status: 502, message } })
  const start = { type: 'start', id: '', model: '' }
  assert.deepEqual(told('messageStart', '{'), [failure('an event of the stream is not a JSON object')])
  assert.deepEqual(told(undefined, '[]'), [failure('an event of the stream is not a JSON object')])
  assert.deepEqual(told('contentBlockDelta', '{}'), [start, failure('contentBlockDelta.delta is missing')])
  assert.deepEqual(told('contentBlockDelta', '{"delta":{"text":1}}'), [
    start,
    failure('contentBlockDelta.delta.text must be a string'),
  ])
  assert.deepEqual(told('contentBlockStart', '{"start":{"toolUse":{"toolUseId":"a"}}}'), [
    start,
    failure('contentBlockStart.start.toolUse.name is missing'),
  ])
  assert.deepEqual(told('messageStop', '{}'), [start, failure('messageStop.stopReason is missing')])
})

test('maps each exception to its status, or that of the model if present', () => {
  const statusOf = (name: string, data: string): unknown => {
    const [event] = told(name, data) as [{ error: { status: number } }]
    return event.error.status
  }
  assert.equal(statusOf('internalServerException', '{}'), 500)
  assert.equal(statusOf('validationException', 'not JSON'), 400)
  assert.equal(statusOf('serviceUnavailableException', '{}'), 503)
  assert.equal(statusOf('modelStreamErrorException', '{}'), 424)
  assert.equal(statusOf('modelStreamErrorException', '{"originalStatusCode":529}'), 529)
  assert.equal(statusOf('newException', '{}'), 502)
})

test('refuses to encode streams', () => {
  assert.throws(() => converse.encodeStream({ model: 'm', includeUsage: true }), /not supported/)
  assert.throws(() => converse.encodeStreamError({ status: 500, message: '' }), /not supported/)
})
