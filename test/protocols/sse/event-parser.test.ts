import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { encodeSseEvent } from '../../../src/protocols/sse/encode.ts'
import { EventParser } from '../../../src/protocols/sse/event-parser.ts'

type Told = readonly unknown[]

/** The events of a stream in these chunks. */
const told = (
  chunks: readonly Uint8Array[],
  limitBytes = 1000,
): { all: Told[]; lastEventId: string | undefined } => {
  const all: Told[] = []
  const parser = new EventParser(
    {
      event: ({ event, data, id }) => all.push(['event', event, data, id]),
      retry: (ms) => all.push(['retry', ms]),
      overflow: () => all.push(['overflow']),
    },
    limitBytes,
  )
  for (const chunk of chunks) {
    const own = Uint8Array.from(chunk)
    parser.push(own)
    // The memory of a chunk may be reused.
    own.fill(0x21)
  }
  parser.end()
  return { all, lastEventId: parser.lastEventId }
}

const read = (text: string, limitBytes?: number) => told([Buffer.from(text)], limitBytes).all

/** Splits bytes at these offsets. */
const cut = (bytes: Buffer, places: readonly number[]): Buffer[] => {
  const at = [0, ...places.map((place) => place % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]
  return at.slice(1).map((end, i) => bytes.subarray(at[i], end))
}

test('an SSE parser', async (t) => {
  await t.test('emits events with their type, their data and their id', () => {
    assert.deepEqual(read('event: message\nid: 7\ndata: {"a":1}\n\ndata: b\n\n'), [
      ['event', 'message', '{"a":1}', '7'],
      ['event', undefined, 'b', undefined],
    ])
  })

  await t.test('joins the lines of one event, and removes one space', () => {
    assert.deepEqual(read('data: a\ndata\ndata:b\ndata:  c\n\n'), [
      ['event', undefined, 'a\n\nb\n c', undefined],
    ])
  })

  await t.test('accepts LF, CR and CRLF, and a byte order mark', () => {
    const event = ['event', 'x', 'y', undefined]
    for (const end of ['\n', '\r', '\r\n'])
      assert.deepEqual(read(`\uFEFFevent: x${end}data: y${end}${end}`), [event], JSON.stringify(end))
    assert.deepEqual(read('data: a\r\n\ndata: b\n\r\ndata: c\r\r'), [
      ['event', undefined, 'a', undefined],
      ['event', undefined, 'b', undefined],
      ['event', undefined, 'c', undefined],
    ])
  })

  await t.test('emits an event that ends with CR before more arrives', () => {
    assert.deepEqual(read('data: a\r\r'), [['event', undefined, 'a', undefined]])
  })

  await t.test('ignores comments, unknown fields, and events without data', () => {
    assert.deepEqual(read(': hello\n:\nwhat: ever\nevent: gone\n\ndata: a\n\n'), [
      ['event', undefined, 'a', undefined],
    ])
  })

  await t.test('emits an empty event that has data', () => {
    assert.deepEqual(read('id: 1\ndata:\n\n'), [['event', undefined, '', '1']])
  })

  await t.test('keeps the id of an event without data', () => {
    const stream = told([Buffer.from('id: 1\n\nid: a\0b\n\n')])
    assert.deepEqual(stream, { all: [], lastEventId: '1' })
    assert.deepEqual(read('id: 1\n\ndata: a\n\ndata: b\n\n'), [
      ['event', undefined, 'a', '1'],
      ['event', undefined, 'b', undefined],
    ])
    assert.equal(told([Buffer.from('id: 1\ndata: a\n\nid\ndata: b\n\n')]).lastEventId, '')
  })

  await t.test('emits the retry time if it is a number', () => {
    assert.deepEqual(read('retry: 250\n\nretry: soon\nretry: -1\nretry\n\n'), [['retry', 250]])
  })

  await t.test('drops an event that is truncated', () => {
    assert.deepEqual(read('data: a\n\ndata: b\n'), [['event', undefined, 'a', undefined]])
  })

  await t.test('reports once that an event is too long, and nothing after it', () => {
    const event = ['event', undefined, 'aaaa', undefined]
    assert.deepEqual(read('data: aaaa\n\ndata: aaaa\n\n', 10), [event, event])
    const long = [
      'data: aaaaa\n\n',
      'data: a\ndata: a\n\n',
      ': 345678901\n',
      'data: 78901',
      'data\ndata\ndata\n',
    ]
    for (const text of long) {
      const bytes = Buffer.from(`data: aaaa\n\n${text}data: a\n\n`)
      assert.deepEqual(told([bytes], 10).all, [event, ['overflow']], text)
      assert.deepEqual(
        told(
          [...bytes].map((byte) => Buffer.of(byte)),
          10,
        ).all,
        [event, ['overflow']],
        text,
      )
    }
  })

  await t.test('does not count comments towards the limit', () => {
    assert.deepEqual(read(`${': ping\n'.repeat(100)}data: a\n\n`, 10), [['event', undefined, 'a', undefined]])
  })

  await t.test('emits the same events, wherever chunks end', () => {
    const piece = fc.constantFrom(
      ...['data', 'event', 'id', 'retry', ':', ': ', '\n', '\r', '\r\n', '\n\n', '\0', '\uFEFF'],
      ...['a', '12', 'é', '漢', '🙂', 'data: x\n\n', 'long '.repeat(9)],
    )
    const stream = fc.array(piece, { maxLength: 40 }).map((pieces) => Buffer.from(pieces.join('')))
    fc.assert(
      fc.property(
        stream,
        fc.array(fc.nat(), { maxLength: 12 }),
        fc.constantFrom(20, 60, 1000),
        (bytes, places, limit) => {
          const whole = told([bytes], limit)
          assert.deepEqual(told(cut(bytes, places), limit), whole)
          assert.deepEqual(
            told(
              [...bytes].map((byte) => Buffer.of(byte)),
              limit,
            ),
            whole,
          )
        },
      ),
      { numRuns: 500 },
    )
  })

  await t.test('decodes the output of the encoder', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 40 })
    fc.assert(
      fc.property(text, fc.array(fc.nat(), { maxLength: 5 }), (data, places) => {
        const bytes = Buffer.from(encodeSseEvent({ event: 'message', data }))
        assert.deepEqual(told(cut(bytes, places)).all, [
          ['event', 'message', data.replaceAll(/\r\n?/g, '\n'), undefined],
        ])
      }),
    )
  })

  await t.test('parses a long line in small chunks in linear time', () => {
    const chunks = Array.from({ length: 200_000 }, () => Buffer.from('abcde'))
    const { all } = told([Buffer.from('data:'), ...chunks, Buffer.from('\n\n')], 2_000_000)
    assert.equal((all[0]?.[2] as string).length, 1_000_000)
  })
})
