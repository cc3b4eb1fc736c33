import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cleanEvent } from '../../../../../src/operators/llm/guardrails/stream/clean-event.ts'
import { EventReader } from '../../../../../src/operators/llm/guardrails/stream/event-reader.ts'
import { streamTexts } from '../../../../../src/protocols/llm/texts/extract-texts.ts'

const cleaned = (event: string): string => {
  const reader = new EventReader(streamTexts('messages'), 4096, true)
  return [...reader.readAll(Buffer.from(event))].map((read) => read?.event.written().toString()).join('')
}

test('parts of an event that no guard checks are not sent', () => {
  const data = 'data: {"type":"ping"}\n'
  for (const [event, expected] of [
    [`: forbidden\n${data}\n`, `${data}\n`],
    [`event: ping\n: forbidden\n${data}id: forbidden\n\n`, `event: ping\n${data}\n`],
    [`event: forbidden words\n${data}\n`, `${data}\n`],
    [`event: ping\nevent: forbidden\n${data}\n`, `event: ping\n${data}\n`],
    [`${data}forbidden: text\nforbidden\n\n`, `${data}\n`],
    [`retry: forbidden\n${data}retry: 100\n\n`, `${data}retry: 100\n\n`],
    [`: forbidden\n\n`, ':\n\n'],
    [`:\n\n`, ':\n\n'],
    [`id: forbidden\n\n`, ':\n\n'],
    [`: forbidden\r\n${data}\r\n`, `${data}\r\n`],
    [`: forbidden\r${data}\n`, `${data}\n`],
  ] as const)
    assert.equal(cleaned(event), expected, JSON.stringify(event))
})

test('an event without such parts is returned as it is', () => {
  for (const event of [
    'event: content_block_stop\ndata: {"type":"content_block_stop","index":0}\n\n',
    'data: [DONE]\n\n',
    '\uFEFFdata: {"type":"ping"}\n\n',
    'data:{"a":\ndata:1}\r\n\r\n',
    'retry: 3000\n\n',
  ]) {
    const bytes = Buffer.from(event)
    assert.equal(cleanEvent(bytes, { event: undefined, data: '', id: undefined }, undefined), bytes)
    assert.equal(cleaned(event), event)
  }
  const named = Buffer.from('event: response.created\ndata: {"type":"response.created"}\n\n')
  assert.equal(cleanEvent(named, { event: 'x', data: '', id: undefined }, 'response.created'), named)
})
