import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonObject } from '../../../../src/protocols/json/json-object.ts'
import type { ReplyOptions, ProviderRequestLine } from '../../../../src/protocols/llm/chat/codec.ts'
import type { ChatReply } from '../../../../src/protocols/llm/chat/reply.ts'
import type { ChatRequest } from '../../../../src/protocols/llm/chat/request.ts'
import { converse } from '../../../../src/protocols/llm/converse/codec.ts'
import { Losses } from '../../../../src/protocols/llm/dropped-fields.ts'
import { goldensOf, plain } from '../goldens.ts'

interface RequestGolden {
  readonly place: ProviderRequestLine
  readonly wire: JsonObject
  readonly common: ChatRequest
  readonly losses: readonly string[]
  readonly written?: JsonObject
  /** Losses when it is encoded. */
  readonly unplaced?: readonly string[]
}

interface ReplyGolden {
  readonly asked: ReplyOptions
  readonly wire: JsonObject
  readonly common: ChatReply
  readonly losses: readonly string[]
  readonly written?: JsonObject
}

const folder = new URL('golden/', import.meta.url)
const requests = goldensOf<RequestGolden>(folder, 'request')
const replies = goldensOf<ReplyGolden>(folder, 'reply')

test('the folder has transcripts', () => {
  assert.equal(requests.length, 3)
  assert.equal(replies.length, 2)
})

for (const { name, golden } of requests) {
  test(`decodes ${name}`, () => {
    const losses = new Losses()
    const request = converse.decodeRequest(golden.wire, golden.place, losses)
    assert.deepEqual(plain(request), golden.common)
    assert.deepEqual(losses.fields, golden.losses)
  })

  test(`encodes ${name}`, () => {
    const losses = new Losses()
    assert.deepEqual(plain(converse.encodeRequest(golden.common, losses)), golden.written ?? golden.wire)
    assert.deepEqual(losses.fields, golden.unplaced ?? [])
  })
}

for (const { name, golden } of replies) {
  test(`decodes ${name}`, () => {
    const losses = new Losses()
    assert.deepEqual(plain(converse.decodeReply(golden.wire, losses)), golden.common)
    assert.deepEqual(losses.fields, golden.losses)
  })

  test(`encodes ${name}`, () => {
    const losses = new Losses()
    const written = converse.encodeReply(golden.common, golden.asked, losses)
    assert.deepEqual(plain(written), golden.written ?? golden.wire)
    assert.deepEqual(losses.fields, [])
  })
}

test('finds the attributes of a response and of a request', () => {
  const { golden } = replies[0]!
  assert.deepEqual(plain(converse.replyAttributes(golden.wire)), {
    usage: golden.common.usage,
    serviceTier: 'default',
  })
  const body = { inferenceConfig: { maxTokens: 5, temperature: 'hot', topP: 0.5 } }
  assert.deepEqual(plain(converse.requestAttributes(body, { model: 'm', streaming: true })), {
    model: 'm',
    streaming: true,
    topP: 0.5,
    maxTokens: 5,
  })
})
