import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { EventCutter, eventsIn } from '../../../src/protocols/sse/event-splitter.ts'

const passed = (chunks: readonly Buffer[], limitBytes = 1024): string[] => {
  const cutter = new EventCutter(limitBytes)
  return chunks.flatMap((chunk) => cutter.push(chunk)?.toString() ?? [])
}

describe('a stream that is split at event ends', () => {
  it('passes chunks that end with an event unchanged', () => {
    const cutter = new EventCutter(1024)
    const chunk = Buffer.from('data: a\n\ndata: b\n\n')
    assert.equal(cutter.push(chunk), chunk)
  })

  it('buffers an incomplete event, and emits it with its end', () => {
    assert.deepEqual(passed(['data: a\n\nda', 'ta: b', '\n\n'].map((one) => Buffer.from(one))), [
      'data: a\n\n',
      'data: b\n\n',
    ])
  })

  for (const [name, end] of [
    ['LF', '\n\n'],
    ['CRLF', '\r\n\r\n'],
    ['CR', '\r\r'],
  ] as const)
    it(`finds ends written with ${name}, wherever chunks are split`, () => {
      const text = `event: a\ndata: {"a":1}${end}data: b${end}: comment${end}`
      for (let at = 1; at < text.length; at++) {
        const pieces = passed([Buffer.from(text.slice(0, at)), Buffer.from(text.slice(at))])
        assert.equal(pieces.join(''), text, `cut at ${String(at)}`)
        for (const piece of pieces) assert.ok(piece.endsWith(end), `cut at ${String(at)}`)
      }
    })

  it('loses and adds nothing in any chunking', () => {
    const part = fc.constantFrom('data: x', '\n', '\r\n', '\r', '\n\n', ' ')
    fc.assert(
      fc.property(
        fc.array(part, { maxLength: 30 }),
        fc.array(fc.integer({ min: 1, max: 5 })),
        (parts, cuts) => {
          const text = `${parts.join('')}\n\n`
          const chunks: Buffer[] = []
          let at = 0
          for (const size of cuts) {
            chunks.push(Buffer.from(text.slice(at, at + size)))
            at += size
          }
          chunks.push(Buffer.from(text.slice(at)))
          const cutter = new EventCutter(1024)
          const pieces = chunks.map((chunk) => cutter.push(chunk)?.toString() ?? '')
          assert.equal(pieces.join('') + cutter.rest().toString(), text)
        },
      ),
    )
  })

  it('reports an event that is longer than the limit', () => {
    const cutter = new EventCutter(16)
    cutter.push(Buffer.from('data: 0123456789'))
    assert.equal(cutter.isOver, false)
    cutter.push(Buffer.from('0'))
    assert.equal(cutter.isOver, true)
  })

  it('separates the events of a chunk', () => {
    const texts = ['data: a\n\n', 'event: b\r\ndata: b\r\n\r\n', ': c\n\n']
    assert.deepEqual(
      [...eventsIn(Buffer.from(texts.join('')))].map((event) => event.toString()),
      texts,
    )
  })
})
