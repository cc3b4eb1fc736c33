/** What a frame says of itself before its payload (RFC 6455 §5.2). */
export interface FrameHead {
  readonly opcode: number
  readonly isFinal: boolean
  /** The first of the reserved bits is set, which `permessage-deflate` uses. */
  readonly isCompressed: boolean
  /** One of the reserved bits is set. */
  readonly isReserved: boolean
  readonly mask: Buffer | undefined
  /** Of the head itself. */
  readonly bytes: number
  readonly payloadBytes: number
}

/** What a frame is; from `close` on it is a control frame, which may stand between the frames of a message. */
export const opcodes = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const

/** Reads the head at the beginning of some bytes; undefined if not all of it is there. */
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
