import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { MessageReader, type MessageReaderOptions } from '../../../src/protocols/websocket/message-reader.ts'
import { writeClose, writeFrame, writeText } from '../../../src/protocols/websocket/write-frame.ts'

/** A frame that `writeFrame` cannot write. */
const oddFrame = (first: number, payload: string, { mask = false } = {}): Buffer => {
  const bytes = Buffer.from(payload)
  const head = Buffer.from([first, (mask ? 0x80 : 0) | bytes.length, ...(mask ? [0, 0, 0, 0] : [])])
  return Buffer.concat([head, bytes])
}

const read = (chunks: readonly Buffer[], options: Partial<MessageReaderOptions> = {}): string[] => {
  const told: string[] = []
  const reader = new MessageReader(
    {
      message: (payload, isText) => told.push(`${isText ? 'text' : 'binary'} ${payload.toString()}`),
      control: (opcode, payload) => told.push(`control ${opcode} ${payload.toString('latin1')}`),
      broken: ({ code }) => told.push(`broken ${code}`),
    },
    { writer: 'server', limitBytes: 100_000, takesBinary: true, ...options },
  )
  for (const chunk of chunks) reader.push(chunk)
  return told
}

describe('a WebSocket message reader', () => {
  for (const writer of ['client', 'server'] as const) {
    const long = 'ü'.repeat(40_000)
    const bytes = Buffer.concat([
      writeText(writer, 'one'),
      writeFrame(writer, 9, Buffer.from('ping')),
      writeText(writer, ''),
      writeFrame(writer, 2, Buffer.from('two')),
      writeText(writer, 'x'.repeat(300)),
      writeText(writer, long),
      writeClose(writer, 1000, 'bye'),
    ])
    const expected = [
      'text one',
      'control 9 ping',
      'text ',
      'binary two',
      `text ${'x'.repeat(300)}`,
      `text ${long}`,
      'control 8 \u0003\u00e8bye',
    ]

    it(`reads frames of a ${writer}, of any length`, () => {
      assert.deepEqual(read([bytes], { writer }), expected)
    })

    it(`reads frames of a ${writer} wherever they are split`, () => {
      for (const size of [1, 2, 3, 7, 64, 1000]) {
        const chunks: Buffer[] = []
        for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size))
        assert.deepEqual(read(chunks, { writer }), expected, `chunks of ${size} bytes`)
      }
    })
  }

  it('joins the frames of a message, and emits control frames between them at once', () => {
    const frames = [oddFrame(0x01, 'to'), oddFrame(0x89, '?'), oddFrame(0x00, ''), oddFrame(0x80, 'day')]
    assert.deepEqual(read([Buffer.concat(frames)]), ['control 9 ?', 'text today'])
  })

  it('joins a message of very many frames in linear time', () => {
    const frame = oddFrame(0x00, 'x')
    const chunk = Buffer.concat(Array.from({ length: 1_000 }, () => frame))
    const chunks = Array.from({ length: 99 }, () => chunk)
    const [message] = read([oddFrame(0x01, 'x'), ...chunks, oddFrame(0x80, 'y')])
    assert.equal(message, `text ${'x'.repeat(99_001)}y`)
  })

  it('does not change its input', () => {
    const frame = writeText('client', 'secret')
    const before = frame.toString('hex')
    read([frame], { writer: 'client' })
    assert.equal(frame.toString('hex'), before)
  })

  const broken: readonly [string, readonly Buffer[], number, Partial<MessageReaderOptions>?][] = [
    ['a reserved bit', [oddFrame(0xc1, 'x')], 1002],
    ['a mask of a server', [oddFrame(0x81, 'x', { mask: true })], 1002],
    ['a client without a mask', [oddFrame(0x81, 'x')], 1002, { writer: 'client' }],
    ['a kind of frame that does not exist', [oddFrame(0x83, 'x')], 1002],
    ['a kind of control frame that does not exist', [oddFrame(0x8b, 'x')], 1002],
    ['a control frame in pieces', [oddFrame(0x09, 'x')], 1002],
    ['a control frame that is too long', [writeFrame('server', 9, Buffer.alloc(126))], 1002],
    ['a piece of no message', [oddFrame(0x80, 'x')], 1002],
    ['a message inside of a message', [oddFrame(0x01, 'x'), oddFrame(0x81, 'y')], 1002],
    ['a binary message where none is taken', [oddFrame(0x82, 'x')], 1003, { takesBinary: false }],
    ['a text that is not UTF-8', [writeFrame('server', 1, Buffer.from([0xc3, 0x28]))], 1007],
    ['a message beyond the limit', [writeText('server', 'x'.repeat(100_001))], 1009],
    [
      'frames that are beyond the limit together',
      [oddFrame(0x01, 'xx'), oddFrame(0x80, 'xx')],
      1009,
      { limitBytes: 3 },
    ],
  ]
  for (const [what, chunks, code, options] of broken)
    it(`fails with ${code} on ${what}, and reads nothing after it`, () => {
      const after = writeText(options?.writer ?? 'server', 'after')
      assert.deepEqual(read([...chunks, after], options), [`broken ${code}`])
    })

  it('fails early on a message that is too long', () => {
    const head = writeText('server', 'x'.repeat(100_001)).subarray(0, 14)
    assert.deepEqual(read([head]), ['broken 1009'])
  })
})
