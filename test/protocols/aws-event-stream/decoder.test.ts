import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { AwsEventDecoder } from '../../../src/protocols/aws-event-stream/decoder.ts'
import { encodeEvent, encodeException } from '../../../src/protocols/aws-event-stream/event.ts'
import { encodeEventMessage } from '../../../src/protocols/aws-event-stream/message.ts'

const LIMIT = 1024

const read = (chunks: readonly Uint8Array[], limitBytes = LIMIT): unknown[] => {
  const told: unknown[] = []
  const decoder = new AwsEventDecoder(limitBytes, {
    event: (name, data) => told.push([name, data]),
    broken: (problem) => told.push(problem),
  })
  for (const chunk of chunks) decoder.push(chunk)
  decoder.end()
  return told
}

/**
 * A message byte by byte, by the documentation of AWS: total length, 27 bytes of headers, checksum, one header (a name
 * of 11 bytes, type 7 for text, 12 bytes of text), and the payload `{}`.
 */
const byHand = Buffer.from(
  [
    '00000000',
    '0000001b',
    '00000000',
    '0b3a6576656e742d74797065',
    '07000c6d6573736167655374617274',
    '7b7d',
  ].join(''),
  'hex',
)

test('decodes a message that was written by hand', () => {
  assert.deepEqual(read([withChecksums(byHand)]), [['messageStart', '{}']])
})

/** Fills in both checksums by the definition of CRC-32 (ISO 3309), bit by bit. */
const withChecksums = (message: Buffer): Buffer => {
  const frame = Buffer.concat([message, Buffer.alloc(4)])
  frame.writeUInt32BE(frame.length, 0)
  frame.writeUInt32BE(crc32(frame.subarray(0, 8)), 8)
  frame.writeUInt32BE(crc32(frame.subarray(0, -4)), frame.length - 4)
  return frame
}

const crc32 = (bytes: Buffer): number => {
  let crc = 0xffffffff
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
  }
  return (crc ^ 0xffffffff) >>> 0
}

const stream = [
  encodeEvent('messageStart', '{"role":"assistant"}'),
  encodeEvent('contentBlockDelta', '{"delta":{"text":"grüß dich"}}'),
  encodeException('throttlingException', '{"message":"slow down"}'),
]
const events = [
  ['messageStart', '{"role":"assistant"}'],
  ['contentBlockDelta', '{"delta":{"text":"grüß dich"}}'],
  ['throttlingException', '{"message":"slow down"}'],
]

test('emits the same events wherever the stream is split in two', () => {
  const whole = Buffer.concat(stream)
  for (let cut = 0; cut <= whole.length; cut++)
    assert.deepEqual(read([whole.subarray(0, cut), whole.subarray(cut)]), events, `cut at ${cut}`)
})

test('emits the same events for any chunks', () => {
  const whole = Buffer.concat(stream)
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: whole.length })), (cuts) => {
      const ends = [...cuts, whole.length].sort((a, b) => a - b)
      assert.deepEqual(read(ends.map((end, i) => whole.subarray(ends[i - 1] ?? 0, end))), events)
    }),
  )
})

test('reports an unmodeled error as an exception', () => {
  const message = encodeEventMessage({
    headers: { ':message-type': 'error', ':error-code': 'InternalError', ':error-message': 'gone' },
    payload: Buffer.alloc(0),
  })
  assert.deepEqual(read([message]), [['InternalErrorException', '{"message":"gone"}']])
})

test('detects every flipped bit', () => {
  const [first] = stream
  for (let bit = 0; bit < first!.length * 8; bit++) {
    const flipped = Buffer.from(first!)
    flipped[bit >> 3]! ^= 1 << (bit & 7)
    const told = read([flipped])
    assert.equal(told.length, 1)
    assert.equal(typeof told[0], 'string', `bit ${bit}`)
  }
})

test('fails at a message over the limit, and accepts one at the limit', () => {
  const empty = encodeEvent('a', '').length
  assert.deepEqual(read([encodeEvent('a', ' '.repeat(LIMIT - empty))]).length, 1)
  assert.deepEqual(read([encodeEvent('a', ' '.repeat(LIMIT - empty + 1)), ...stream]), [
    `a message of ${LIMIT + 1} bytes is longer than ${LIMIT}`,
  ])
})

test('fails at lengths that are too short for a message', () => {
  assert.deepEqual(read([Buffer.alloc(4)]), ['a message of 0 bytes is too short to be one'])
})

test('reports a stream that ends inside of a message', () => {
  const [first, second] = stream
  assert.deepEqual(read([first!, second!.subarray(0, 3)]), [events[0], 'the stream ends inside of a message'])
})

test('fails on random bytes without throwing', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 64 })), (chunks) => {
      const total = chunks.reduce((sum, { length }) => sum + length, 0)
      assert.equal(read(chunks).length, total === 0 ? 0 : 1)
    }),
  )
})
