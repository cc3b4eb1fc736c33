import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { TextMessages } from '../../../src/protocols/websocket/text-messages.ts'

const frame = (
  opcode: number,
  payload: string | Buffer,
  { isFinal = true, mask = false, rsv = 0 } = {},
): Buffer => {
  const bytes = Buffer.from(payload)
  const length = bytes.length
  const size = length < 126 ? 0 : length < 65_536 ? 2 : 8
  const head = Buffer.alloc(2 + size + (mask ? 4 : 0))
  head[0] = (isFinal ? 0x80 : 0) | rsv | opcode
  head[1] = (mask ? 0x80 : 0) | (size === 0 ? length : size === 2 ? 126 : 127)
  if (size === 2) head.writeUInt16BE(length, 2)
  if (size === 8) head.writeBigUInt64BE(BigInt(length), 2)
  if (!mask) return Buffer.concat([head, bytes])
  const key = Buffer.from([1, 2, 3, 4])
  key.copy(head, 2 + size)
  return Buffer.concat([head, bytes.map((byte, i) => byte ^ (key[i & 3] as number))])
}

const read = (chunks: readonly Buffer[], limitBytes = 100_000): string[] => {
  const texts: string[] = []
  const messages = new TextMessages((text) => texts.push(text), limitBytes)
  for (const chunk of chunks) messages.push(chunk)
  return texts
}

describe('text messages of a WebSocket', () => {
  const long = 'ü'.repeat(40_000)
  const stream = Buffer.concat([
    frame(1, 'one'),
    frame(2, Buffer.from([0, 1, 2])),
    frame(1, 'tw', { isFinal: false }),
    frame(9, 'ping'),
    frame(0, 'o', { mask: true }),
    frame(1, 'x'.repeat(300)),
    frame(1, 'never', { rsv: 0x40 }),
    frame(1, long),
    frame(8, ''),
  ])
  const expected = ['one', 'two', 'x'.repeat(300), long]

  it('are found among all other frames', () => {
    assert.deepEqual(read([stream]), expected)
  })

  it('are found wherever chunks are split', () => {
    for (let size = 1; size < 40; size++) {
      const chunks: Buffer[] = []
      for (let at = 0; at < 500; at += size) chunks.push(stream.subarray(at, Math.min(at + size, 500)))
      assert.deepEqual(read([...chunks, stream.subarray(500)]), expected, `of ${String(size)} bytes`)
    }
  })

  it('are skipped if they are too long, whole or in pieces, and later ones are not', () => {
    const chunks = [
      frame(1, 'x'.repeat(100)),
      frame(1, 'a'.repeat(8), { isFinal: false }),
      frame(0, 'b'.repeat(8), { isFinal: false }),
      frame(0, 'c'),
      frame(1, 'good'),
    ]
    assert.deepEqual(read([Buffer.concat(chunks)], 10), ['good'])
  })
})
