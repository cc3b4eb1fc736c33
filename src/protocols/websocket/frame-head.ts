/** The header of a frame (RFC 6455 §5.2). */
export interface FrameHead {
  readonly opcode: number
  readonly isFinal: boolean
  /** RSV1 is set, which `permessage-deflate` uses. */
  readonly isCompressed: boolean
  /** A reserved bit is set. */
  readonly isReserved: boolean
  readonly mask: Buffer | undefined
  /** Length of the header itself. */
  readonly bytes: number
  readonly payloadBytes: number
}

/** Opcodes; from `close` on they are control frames, which may come between the frames of a message. */
export const opcodes = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const

/** Parses the header at the start of the bytes; undefined if it is incomplete. */
export const frameHead = (bytes: Buffer): FrameHead | undefined => {
  if (bytes.length < 2) return undefined
  const [first = 0, second = 0] = bytes
  const short = second & 0x7f
  const lengthBytes = short === 126 ? 2 : short === 127 ? 8 : 0
  const maskBytes = second & 0x80 ? 4 : 0
  const size = 2 + lengthBytes + maskBytes
  if (bytes.length < size) return undefined
  const payloadBytes =
    lengthBytes === 2 ? bytes.readUInt16BE(2) : lengthBytes === 8 ? Number(bytes.readBigUInt64BE(2)) : short
  return {
    opcode: first & 0x0f,
    isFinal: (first & 0x80) !== 0,
    isCompressed: (first & 0x40) !== 0,
    isReserved: (first & 0x70) !== 0,
    mask: maskBytes ? Buffer.from(bytes.subarray(size - 4, size)) : undefined,
    bytes: size,
    payloadBytes,
  }
}
