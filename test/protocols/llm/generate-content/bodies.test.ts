import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonObject } from '../../../../src/protocols/json/json-object.ts'
import type { ReplyOptions, ProviderRequestLine } from '../../../../src/protocols/llm/chat/codec.ts'
import type { ChatReply } from '../../../../src/protocols/llm/chat/reply.ts'
import type { ChatRequest } from '../../../../src/protocols/llm/chat/request.ts'
import { generateContent } from '../../../../src/protocols/llm/generate-content/codec.ts'
import { Losses } from '../../../../src/protocols/llm/dropped-fields.ts'
import { goldensOf, plain } from '../goldens.ts'

interface RequestGolden {
  readonly place: ProviderRequestLine
  readonly wire: JsonObject
  readonly common: ChatRequest
  readonly losses: readonly string[]
  readonly written?: JsonObject
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
  assert.equal(requests.length, 6)
  assert.equal(replies.length, 4)
})

for (const { name, golden } of requests) {
  test(`decodes ${name}`, () => {
    const losses = new Losses()
    const request = generateContent.decodeRequest(golden.wire, golden.place, losses)
    assert.deepEqual(plain(request), golden.common)
    assert.deepEqual(losses.fields, golden.losses)
  })

  test(`encodes ${name}`, () => {
    const losses = new Losses()
    assert.deepEqual(
      plain(generateContent.encodeRequest(golden.common, losses)),
      golden.written ?? golden.wire,
    )
    assert.deepEqual(losses.fields, [])
  })
}

for (const { name, golden } of replies) {
  test(`decodes ${name}`, () => {
    const losses = new Losses()
    assert.deepEqual(plain(generateContent.decodeReply(golden.wire, losses)), golden.common)
    assert.deepEqual(losses.fields, golden.losses)
  })

  test(`encodes ${name}`, () => {
    const losses = new Losses()
    const written = generateContent.encodeReply(golden.common, golden.asked, losses)
    assert.deepEqual(plain(written), golden.written ?? golden.wire)
    assert.deepEqual(losses.fields, [])
  })
}
