import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { BadReply, BadRequest } from '../../../../src/protocols/llm/chat/codec.ts'
import type { ChatEvent } from '../../../../src/protocols/llm/chat/events.ts'
import { Losses } from '../../../../src/protocols/llm/dropped-fields.ts'
import { responses } from '../../../../src/protocols/llm/responses/codec.ts'
import { llmStreamViolations } from '../../../../src/testing/index.ts'
import { replies } from './golden/replies.ts'
import { requests } from './golden/requests.ts'
import { streams } from './golden/streams.ts'

type Json = Record<string, unknown>

/** A copy of a value with one value replaced, anywhere. */
const spoilt = (values: readonly unknown[]): fc.Arbitrary<Json> =>
  fc.tuple(fc.constantFrom(...values), fc.nat(), fc.constantFrom(...junk)).map(([value, nth, other]) => {
    const places: (() => void)[] = []
    const copy = JSON.parse(JSON.stringify({ value })) as { value: Json }
    const walk = (parent: Json): void => {
      for (const key of Object.keys(parent)) {
        places.push(() => {
          parent[key] = other
        })
        if (typeof parent[key] === 'object' && parent[key] !== null) walk(parent[key] as Json)
      }
    }
    walk(copy.value)
    places[nth % places.length]?.()
    return copy.value
  })

const junk: readonly unknown[] = [null, 0, -1, 1.5, true, '', 'x', [], {}, [null], [[]], [{}], { type: 'x' }]

/** Asserts the order of events that encoders depend on. */
const assertOrder = (events: readonly ChatEvent[]): void => {
  const isOpen: boolean[] = []
  for (const [i, event] of events.entries()) {
    if (event.type !== 'error') assert.equal(event.type === 'start', i === 0, 'starts once, and first')
    if (event.type === 'open') {
      assert.equal(event.block, isOpen.length, 'blocks are dense')
      isOpen.push(true)
    } else if ('block' in event) {
      assert.equal(isOpen[event.block], true, `${event.type} is of an open block`)
      if (event.type === 'close') isOpen[event.block] = false
    }
  }
  const last = events.at(-1)?.type
  assert.ok(last === 'end' || last === 'error')
  assert.equal(events.filter(({ type }) => type === 'end' || type === 'error').length, 1, 'ends once')
  if (last === 'end') assert.equal(isOpen.includes(true), false, 'nothing stays open')
}

test('invalid input in the Responses format', async (t) => {
  await t.test('is reported to a client', () => {
    const bodies = spoilt(Object.values(requests).map(({ wire }) => wire))
    const property = fc.property(bodies, (body) => {
      const losses = new Losses()
      try {
        const request = responses.decodeRequest(body, {}, losses)
        JSON.stringify(responses.encodeRequest(request, losses))
      } catch (error) {
        assert.ok(error instanceof BadRequest, String(error))
      }
      responses.requestAttributes(body, {})
      for (const field of losses.fields) assert.match(field, /^[a-z_.]+$/)
    })
    fc.assert(property, { numRuns: 2000 })
  })

  await t.test('is not accepted as a response of a provider', () => {
    const property = fc.property(spoilt(Object.values(replies).map(({ wire }) => wire)), (body) => {
      try {
        const reply = responses.decodeReply(body, new Losses())
        JSON.stringify(responses.encodeReply(reply, { model: 'm', includeUsage: true }, new Losses()))
      } catch (error) {
        assert.ok(error instanceof BadReply, String(error))
      }
      responses.replyAttributes(body)
      responses.decodeError(500, body)
    })
    fc.assert(property, { numRuns: 2000 })
  })

  await t.test('becomes a stream that clients can read to its end, or to its error', () => {
    const wires = Object.values(streams).map(({ wire }) => wire)
    const all = wires.flat()
    const mixed = fc.array(fc.oneof(fc.constantFrom(...all), spoilt(all)), { maxLength: 12 })
    const property = fc.property(fc.oneof(spoilt(wires), mixed), (events) => {
      const told: ChatEvent[] = []
      const facts = responses.streamAttributes()
      const decoder = responses.decodeStream()
      const encoder = responses.encodeStream({ model: 'm', includeUsage: true })
      for (const event of Object.values(events)) {
        const data = JSON.stringify(event)
        decoder.push(undefined, data, (event) => told.push(event))
        facts.push(undefined, data)
      }
      decoder.end((event) => told.push(event))
      assertOrder(told)
      const text = told.map((event) => encoder.encode(event)).join('')
      // The provider has to make sure that the arguments are JSON.
      const violations = llmStreamViolations('responses', text).filter(({ rule }) => rule !== 'arguments')
      assert.deepEqual(violations, [])
    })
    fc.assert(property, { numRuns: 3000 })
  })
})
