import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ChatEvent } from '../../../../src/protocols/llm/chat/events.ts'
import { generateContent } from '../../../../src/protocols/llm/generate-content/codec.ts'
import { Losses } from '../../../../src/protocols/llm/dropped-fields.ts'

const body = {
  candidates: [
    {
      content: { role: 'model', parts: [{ functionCall: { id: '', name: 'f', args: {} } }] },
      finishReason: 'STOP',
    },
  ],
}

test('a call in generateContent with an empty id', async (t) => {
  await t.test('gets an id, like a call without an id', () => {
    const [part] = generateContent.decodeReply(body, new Losses()).parts
    assert.ok(part?.type === 'toolCall')
    assert.match(part.id, /^call_\w+$/)
  })

  await t.test('gets an id in a stream', () => {
    const events: ChatEvent[] = []
    generateContent.decodeStream().push(undefined, JSON.stringify(body), (event) => events.push(event))
    const open = events.find(({ type }) => type === 'open')
    assert.ok(open?.type === 'open' && open.part.type === 'toolCall')
    assert.match(open.part.id, /^call_\w+$/)
  })
})
