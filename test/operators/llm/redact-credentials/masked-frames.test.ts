import assert from 'node:assert/strict'
import { test } from 'node:test'
import { crc32 } from 'node:zlib'
import { type BodySink, BufferBody } from '../../../../src/model/exchange/body.ts'
import { CredentialPattern } from '../../../../src/operators/llm/redact-credentials/credential-pattern.ts'
import { MaskedFrames } from '../../../../src/operators/llm/redact-credentials/masked-frames.ts'
import { awsFrame } from '../../../support/llm/aws-frame.ts'

const KEY = 'ABSKQmVkcm9ja0FQSUtleS1leGFtcGxl'

/** A body in chunks of a size, in a buffer that is reused. */
class Chunks extends BufferBody {
  readonly #sizeBytes: number

  constructor(bytes: Buffer, sizeBytes: number) {
    super(bytes)
    this.#sizeBytes = sizeBytes
  }

  override pipe(to: BodySink): void {
    const memory = Buffer.alloc(this.#sizeBytes)
    for (let at = 0; at < this.bytes.length; at += this.#sizeBytes) {
      const length = this.bytes.copy(memory, 0, at, at + this.#sizeBytes)
      to.write(memory.subarray(0, length))
    }
    to.end()
  }
}

const through = (bytes: Buffer, sizeBytes: number): Buffer => {
  const parts: Buffer[] = []
  new MaskedFrames(new Chunks(bytes, sizeBytes), new CredentialPattern([KEY])).pipe({
    write: (chunk) => parts.push(Buffer.from(chunk)) > 0,
    end: () => undefined,
    fail: (fault) => assert.fail(fault as Error),
    onDrain: () => undefined,
  })
  return Buffer.concat(parts)
}

test('credentials in frames are redacted, wherever chunks end', () => {
  const texts = ['a', `key ${KEY}`, 'b'.repeat(500), KEY + KEY]
  const stream = (hide: (text: string) => string) =>
    Buffer.concat(texts.map((text) => awsFrame('chunk', { text: hide(text) })))
  const masked = stream((text) => text.replaceAll(KEY, '*'.repeat(KEY.length)))
  const all = stream((text) => text)
  for (const sizeBytes of [1, 2, 3, 5, 16, 100, 1_000, all.length])
    assert.ok(through(all, sizeBytes).equals(masked), `chunks of ${sizeBytes} bytes`)
  // Half a frame at the end stays half a frame.
  assert.ok(through(all.subarray(0, -5), 7).equals(masked.subarray(0, -5)))
})

test('a frame of 16 MiB in chunks of 1 KiB is not copied for every chunk', (t) => {
  const length = 16 * 1024 * 1024
  const frame = Buffer.alloc(length, 'x')
  frame.writeUInt32BE(length, 0)
  frame.writeUInt32BE(0, 4)
  frame.writeUInt32BE(crc32(frame.subarray(0, 8)), 8)
  frame.writeUInt32BE(crc32(frame.subarray(0, -4)), length - 4)

  let copiedBytes = 0
  const concat = Buffer.concat.bind(Buffer)
  t.mock.method(Buffer, 'concat', (...args: Parameters<typeof concat>) => {
    const made = concat(...args)
    copiedBytes += made.length
    assert.ok(copiedBytes < 10 * length, 'copied again and again')
    return made
  })
  assert.ok(through(frame, 1_024).equals(frame))
})
