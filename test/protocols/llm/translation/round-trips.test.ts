import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { JsonObject } from '../../../../src/protocols/json/json-object.ts'
import type { ChatEvent } from '../../../../src/protocols/llm/chat/events.ts'
import { replyEvents } from '../../../../src/protocols/llm/chat/reply-events.ts'
import type { ChatReply } from '../../../../src/protocols/llm/chat/reply.ts'
import { codecs } from '../../../../src/protocols/llm/codecs.ts'
import type { ChatFormat } from '../../../../src/protocols/llm/format.ts'
import { Losses } from '../../../../src/protocols/llm/dropped-fields.ts'
import { llmStreamViolations } from '../../../../src/testing/index.ts'
import { replies, requests } from './conversations.ts'
import { type Essence, essenceOfReply, essenceOfRequest } from './essence.ts'
import { receivedEvents, type Cell, cells } from './goldens.ts'
import { clientRequest, decoded, encoded, translated } from './translate.ts'

/** The name of each kind when it is lost; other kinds must never be lost. */
const namesOf: Readonly<Record<string, RegExp>> = {
  callSignatures: /signature/i,
  failures: /is_?error/i,
  thoughts: /thinking|thought|reasoning/i,
  signatures: /thinking|thought|reasoning|signature/i,
  hidden: /redacted|hidden|thinking|thought|reasoning/i,
  // Bedrock cannot forbid tools that have been called before.
  tools: /tool_choice/,
  toolChoice: /tool_choice/,
  cache: /cache|tool_choice/i,
  parallelTools: /parallel/i,
  temperature: /temperature/i,
  topP: /top_?p/i,
  topK: /top_?k/i,
  seed: /seed/i,
  stop: /stop/i,
  reasons: /reasoning|thinking|effort/i,
  user: /user|metadata/i,
  finish: /stop|finish/i,
}

/** Asserts that each kind is unchanged, or reported as lost. */
const assertKept = (before: Essence, after: Essence, losses: Losses): void => {
  for (const [kind, value] of Object.entries(before)) {
    const isNamed = losses.fields.some((field) => namesOf[kind]?.test(field))
    // Missing values may be filled in: a provider may need them.
    if (!isNamed && value !== undefined)
      assert.deepEqual({ [kind]: after[kind] }, { [kind]: value }, `losses: ${losses.fields.join(', ')}`)
  }
}

const modelFor = ({ provider }: Cell): string =>
  provider === 'converse' ? 'anthropic.claude-1' : 'chat-model'

/** After a round trip through JSON. */
const sent = (body: JsonObject): JsonObject => JSON.parse(JSON.stringify(body)) as JsonObject

for (const cell of cells) {
  const [client, provider] = [codecs[cell.client], codecs[cell.provider]]
  test(`from ${cell.client} to ${cell.provider} and back`, async (t) => {
    await t.test('requests are equal, except reported losses', () => {
      const place = { model: modelFor(cell), streaming: true }
      fc.assert(
        fc.property(requests(place.model), (drawn) => {
          // Losses of the client's own format do not matter here.
          const asks = client.decodeRequest(
            sent(client.encodeRequest(drawn, new Losses())),
            place,
            new Losses(),
          )
          const losses = new Losses()
          const there = provider.decodeRequest(sent(provider.encodeRequest(asks, losses)), place, losses)
          const back = client.decodeRequest(sent(client.encodeRequest(there, losses)), place, losses)
          assertKept(essenceOfRequest(asks), essenceOfRequest(back), losses)
        }),
        { numRuns: 300 },
      )
    })

    await t.test('responses are equal, except reported losses', () => {
      fc.assert(
        fc.property(replies, (drawn) => {
          const said = provider.decodeReply(
            sent(provider.encodeReply(drawn, clientRequest, new Losses())),
            new Losses(),
          )
          const losses = new Losses()
          const written = client.encodeReply(said, clientRequest, losses)
          assertKept(
            essenceOfReply(named(said)),
            essenceOfReply(client.decodeReply(sent(written), losses)),
            losses,
          )
        }),
        { numRuns: 300 },
      )
    })

    if (cell.provider === 'converse') return
    await t.test('streams are equal to responses, and are valid on both sides', () => {
      fc.assert(
        fc.property(replies, (drawn) => {
          const there = encoded(cell.provider, replyEvents(drawn))
          assert.deepEqual(llmStreamViolations(cell.provider as 'messages', there), [])
          const arrivals = receivedEvents(cell.provider, [Buffer.from(there)])
          const here = translated(cell, arrivals)
          assert.deepEqual(llmStreamViolations(cell.client, here), [])
          const told = essenceOfReply(named(heard(decoded(cell.provider, arrivals))))
          const back = essenceOfReply(
            heard(decoded(cell.client, receivedEvents(cell.client, [Buffer.from(here)]))),
          )
          for (const kind of ['words', 'calls', 'model', 'finish', 'usage'])
            assert.deepEqual({ [kind]: back[kind] }, { [kind]: told[kind] })
        }),
        { numRuns: 200 },
      )
    })
  })
}

/** A provider that does not send its model gets the model of the request. */
const named = (reply: ChatReply): ChatReply =>
  reply.model === '' ? { ...reply, model: clientRequest.model } : reply

/** The response that a stream adds up to. */
const heard = (events: readonly ChatEvent[]): ChatReply => {
  const parts = new Map<number, { type: string; text: string; id?: string; name?: string; data?: string }>()
  let reply: ChatReply = { id: '', model: '', parts: [], finish: 'pause' }
  for (const event of events) {
    if (event.type === 'start') reply = { ...reply, id: event.id, model: event.model }
    else if (event.type === 'open') parts.set(event.block, { text: '', ...event.part })
    else if (event.type === 'delta') parts.get(event.block)!.text += event.text
    else if (event.type === 'usage') reply = { ...reply, usage: event.usage }
    else if (event.type === 'finish') reply = { ...reply, finish: event.finish }
    else if (event.type === 'error') assert.fail(event.error.message)
  }
  const said = [...parts.values()].map((part) => ({ ...part, arguments: part.text || '{}' }))
  return { ...reply, parts: said as unknown as ChatReply['parts'] }
}

test('every client', async (t) => {
  const clients = ['completions', 'messages', 'responses', 'generateContent'] as const satisfies ChatFormat[]
  for (const client of clients)
    await t.test(`of ${client} gets a valid stream of overlapping blocks, whole or split anywhere`, () => {
      fc.assert(
        fc.property(replies, fc.infiniteStream(fc.nat(7)), fc.nat(60), (reply, dice, cut) => {
          const events = interleaved(reply, dice)
          assert.deepEqual(llmStreamViolations(client, encoded(client, events)), [])
          const error: ChatEvent = { type: 'error', error: { status: 502, message: 'cut' } }
          const some = [...events.slice(0, Math.min(cut, events.length - 1)), error]
          assert.deepEqual(llmStreamViolations(client, encoded(client, some)), [])
        }),
        { numRuns: 300 },
      )
    })
})

/** The stream of a response with overlapping tool calls, texts in pieces, and usage at any time. */
const interleaved = (reply: ChatReply, dice: Iterator<number>): ChatEvent[] => {
  const roll = (sides: number): number => Number(dice.next().value) % sides
  const pieces = (event: ChatEvent): ChatEvent[] => {
    if (event.type !== 'delta') return [event]
    const half = roll(event.text.length + 1)
    return [event.text.slice(0, half), event.text.slice(half)].map((text) => ({ ...event, text }))
  }
  const events = replyEvents(reply).flatMap(pieces)
  const callBlocks = new Set(
    events.flatMap((event) => (event.type === 'open' && event.part.type === 'toolCall' ? [event.block] : [])),
  )
  const opens = events.filter((event) => event.type === 'open' && callBlocks.has(event.block))
  const queues = [...callBlocks].map((block) =>
    events.filter((event) => 'block' in event && event.block === block && event.type !== 'open'),
  )
  const mixed: ChatEvent[] = [...opens]
  while (queues.some((queue) => queue.length > 0)) {
    const next = queues.filter((queue) => queue.length > 0)
    mixed.push(next[roll(next.length)]!.shift()!)
  }
  const isCall = (event: ChatEvent): boolean => 'block' in event && callBlocks.has(event.block)
  const end = events.findIndex(({ type }) => type === 'usage' || type === 'finish')
  const head = events.slice(0, end).filter((event) => !isCall(event))
  const early: ChatEvent = { type: 'usage', usage: { inputTokens: 1 } }
  return [...head.slice(0, 1), ...(roll(2) ? [early] : []), ...head.slice(1), ...mixed, ...events.slice(end)]
}
