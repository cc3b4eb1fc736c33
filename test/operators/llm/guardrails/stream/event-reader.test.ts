import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EventReader } from '../../../../../src/operators/llm/guardrails/stream/event-reader.ts'
import { streamTexts } from '../../../../../src/protocols/llm/texts/extract-texts.ts'

const delta = (piece: string) => {
  const call = { index: 0, function: { arguments: piece } }
  return `data: ${JSON.stringify({ choices: [{ index: 0, delta: { tool_calls: [call] } }] })}\n\n`
}

/** What the client gets of an event with one or more adjacent tool calls. */
const written = (bytes: Buffer) =>
  [...bytes.toString().matchAll(/^data: (.*)$/gm)]
    .map(([, data]) => /"arguments":("(?:[^"\\]|\\.)*")/.exec(data as string)![1] as string)
    .map((piece) => JSON.parse(piece) as string)
    .join('')

test('arguments of a tool stay JSON, though all of their events look alike', () => {
  const json = '{"a":["one two three", 1, 123456789, "M\\u00fcller and 7"]}'
  const pieces = json.match(/[\w ]+|\W/g) as string[]
  const reader = new EventReader(streamTexts('completions'), 1_000, true)
  const events = [...reader.readAll(Buffer.from(pieces.map(delta).join('')))].map((event) => event!)
  const texts = events.flatMap((event) => event.texts)
  assert.match(texts.map(({ text }) => text).join(''), /123456789, "Müller and 7"/)
  for (const text of texts) {
    text.text = text.text.replace('123456789', '<SSN>')
    text.event.clear(text)
  }
  const left = events.map(({ event }) => written(event.written())).join('')
  assert.deepEqual(JSON.parse(left), { a: ['one two three', 1, '<SSN>', 'Müller and 7'] })
})
