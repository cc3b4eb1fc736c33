import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { JsonObject } from '../../../../src/protocols/json/json-object.ts'
import { BadReply, BadRequest } from '../../../../src/protocols/llm/chat/codec.ts'
import type { ChatEvent } from '../../../../src/protocols/llm/chat/events.ts'
import { Losses } from '../../../../src/protocols/llm/dropped-fields.ts'
import { messages } from '../../../../src/protocols/llm/messages/codec.ts'
import { llmStreamViolations } from '../../../../src/testing/llm-streams/validator.ts'
import { goldens, goldenStreams } from './golden.ts'

const asked = { model: 'm', includeUsage: true }

/** The paths of all values within a value. */
const placesIn = (value: unknown, path: readonly string[] = []): (readonly string[])[] => {
  if (typeof value !== 'object' || value === null) return [path]
  return [path, ...Object.entries(value).flatMap(([name, inner]) => placesIn(inner, [...path, name]))]
}

/** A copy with one value replaced. */
const withAt = (value: unknown, path: readonly string[], other: unknown): unknown => {
  const [name, ...rest] = path
  if (name === undefined) return other
  const copy = structuredClone(value) as JsonObject
  copy[name] = withAt(copy[name], rest, other)
  return copy
}

const strange: readonly unknown[] = [
  null,
  true,
  -1,
  Infinity,
  '',
  'x',
  [],
  {},
  [null],
  [[]],
  [{}],
  { type: 'text' },
]

/** All variants of an object with one unexpected value. */
const disturbed = function* (whole: JsonObject): Generator<[JsonObject, string]> {
  for (const path of placesIn(whole).slice(1))
    for (const other of strange)
      yield [withAt(whole, path, other) as JsonObject, `${path.join('.')} = ${JSON.stringify(other)}`]
}

const passesOrThrows = (run: () => void, Kind: typeof BadRequest | typeof BadReply, what: string): void => {
  try {
    run()
  } catch (thrown) {
    assert.ok(thrown instanceof Kind, `${what}: ${String(thrown)}`)
    assert.match(thrown.message, /\S/)
  }
}

/** The contract of events for every decoder. */
const assertOrder = (events: readonly ChatEvent[], what: string): void => {
  const open = new Set<number>()
  let next = 0
  for (const [i, event] of events.entries()) {
    if (event.type === 'error') {
      assert.equal(i, events.length - 1, what)
      return
    }
    assert.equal(event.type === 'start', i === 0, what)
    if (event.type === 'open') {
      assert.equal(event.block, next++, what)
      open.add(event.block)
    } else if (event.type === 'delta' || event.type === 'signature') assert.ok(open.has(event.block), what)
    else if (event.type === 'close') assert.ok(open.delete(event.block), what)
    else if (event.type === 'finish') assert.equal(open.size, 0, what)
  }
  assert.equal(events.at(-1)?.type, 'end', what)
  assert.equal(events.filter(({ type }) => type === 'finish').length, 1, what)
}

test('an unexpected value', async (t) => {
  await t.test('in a request is refused or decoded, and can be encoded then', () => {
    for (const { wire, name } of goldens('requests'))
      for (const [body, where] of disturbed(wire))
        passesOrThrows(
          () => messages.encodeRequest(messages.decodeRequest(body, {}, new Losses()), new Losses()),
          BadRequest,
          `${name}: ${where}`,
        )
  })

  await t.test('in a response is refused or decoded, and can be encoded then', () => {
    for (const { wire, name } of goldens('replies'))
      for (const [body, where] of disturbed(wire)) {
        passesOrThrows(
          () => messages.encodeReply(messages.decodeReply(body, new Losses()), asked, new Losses()),
          BadReply,
          `${name}: ${where}`,
        )
        messages.replyAttributes(body)
        messages.decodeError(500, body)
      }
  })

  await t.test('in a stream keeps the order of events, which can be encoded then', () => {
    for (const { text, name } of goldenStreams()) {
      const datas = [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data!) as JsonObject)
      for (const [i, data] of datas.entries())
        for (const [other, where] of disturbed(data)) {
          const what = `${name}: ${i}.${where}`
          const events: ChatEvent[] = []
          const decoder = messages.decodeStream()
          const facts = messages.streamAttributes()
          for (const one of datas.with(i, other)) {
            decoder.push(undefined, JSON.stringify(one), (event) => events.push(event))
            facts.push(undefined, JSON.stringify(one))
          }
          decoder.end((event) => events.push(event))
          assertOrder(events, what)
          const encoder = messages.encodeStream(asked)
          const last = events.map((event) => encoder.encode(event)).join('')
          assert.match(last, /event: (message_stop|error)\ndata: [^\n]*\n\n$/, what)
          // Arguments of a provider are passed on unchanged.
          const violations = llmStreamViolations('messages', last).filter(({ rule }) => rule !== 'arguments')
          assert.deepEqual(violations, [], what)
        }
    }
  })

  await t.test('may replace the whole body', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (body) => {
        passesOrThrows(
          () => messages.decodeRequest(body, { model: 'm' }, new Losses()),
          BadRequest,
          'request',
        )
        passesOrThrows(() => messages.decodeReply(body, new Losses()), BadReply, 'reply')
        messages.requestAttributes(body, {})
        messages.replyAttributes(body)
      }),
    )
    fc.assert(
      fc.property(fc.array(fc.string()), (datas) => {
        const events: ChatEvent[] = []
        const decoder = messages.decodeStream()
        for (const data of datas) decoder.push(undefined, data, (event) => events.push(event))
        decoder.end((event) => events.push(event))
        assertOrder(events, 'stream')
      }),
    )
  })
})
