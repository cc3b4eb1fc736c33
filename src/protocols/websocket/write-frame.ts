import { randomFillSync } from 'node:crypto'
import { opcodes } from './frame-head.ts'

/** The sending side: a client masks its frames (RFC 6455 §5.3). */
export type FrameWriter = 'client' | 'server'

/** Encodes a whole message, or a control frame, as one frame. */
export const writeFrame = (writer: FrameWriter, opcode: number, payload: Buffer): Buffer => {
  const { length } = payload
  const lengthBytes = length < 126 ? 0 : length < 65_536 ? 2 : 8
  const isMasked = writer === 'client'
  const at = 2 + lengthBytes + (isMasked ? 4 : 0)
  const frame = Buffer.allocUnsafe(at + length)
  frame[0] = FINAL | opcode
  frame[1] = (isMasked ? MASKED : 0) | (lengthBytes === 0 ? length : lengthBytes === 2 ? 126 : 127)
  if (lengthBytes === 2) frame.writeUInt16BE(length, 2)
  if (lengthBytes === 8) frame.writeBigUInt64BE(BigInt(length), 2)
  payload.copy(frame, at)
  if (isMasked) {
    const mask = randomFillSync(frame.subarray(at - 4, at))
    for (let i = 0; i < length; i++) frame[at + i] = (frame[at + i] as number) ^ (mask[i & 3] as number)
  }
  return frame
}

/** Encodes a text message. */
export const writeText = (writer: FrameWriter, text: string): Buffer =>
  writeFrame(writer, opcodes.text, Buffer.from(text))

/**
 * Encodes a close frame.
 *
 * @param reason At most 123 bytes.
 */
export const writeClose = (writer: FrameWriter, code: number, reason: string): Buffer => {
  const payload = Buffer.alloc(2 + Buffer.byteLength(reason))
  payload.writeUInt16BE(code)
  payload.write(reason, 2)
  return writeFrame(writer, opcodes.close, payload)
}

const FINAL = 0x80
const MASKED = 0x80
