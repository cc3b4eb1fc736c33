import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SseDataTexts } from '../../../src/operators/a2a/sse-data.ts'

const told = (stream: string, size = stream.length, limit = 100): string[] => {
  const list: string[] = []
  const texts = new SseDataTexts(limit, (data) => list.push(data))
  for (let i = 0; i < stream.length; i += size) texts.add(stream.slice(i, i + size))
  return list
}

const streams: readonly (readonly [what: string, stream: string, data: readonly string[]])[] = [
  ['events', 'data: a\n\ndata:b\n\n', ['a', 'b']],
  ['line breaks of other systems', 'data: a\r\n\r\ndata: b\r\rdata: c\r\n\r\n', ['a', 'b', 'c']],
  ['data of several lines', 'data: a\ndata:\ndata: b\n\n', ['a\n\nb']],
  ['data among other fields', ': hi\nevent: x\nid: 1\ndata: a\nretry: 5\n\n', ['a']],
  ['no events without data', 'event: x\n\n: hi\n\n\n', []],
  ['no event that has not ended', 'data: a\n', []],
]

for (const [what, stream, data] of streams)
  test(`parses ${what}, in any chunks`, () => {
    for (let size = 1; size <= stream.length; size++) assert.deepEqual(told(stream, size), data, `by ${size}`)
  })

test('keeps the beginning of long data, and continues', () => {
  const stream = `data: ${'x'.repeat(500)}\ndata: ${'y'.repeat(500)}\n\ndata: z\n\n`
  for (const size of [1, 7, 2000])
    assert.deepEqual(told(stream, size, 20), ['x'.repeat(14) + '\n' + 'y'.repeat(5), 'z'])
})
