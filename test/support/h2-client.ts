import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'

/** A frame of HTTP/2 (RFC 9113 section 4.1). */
export interface Frame {
  readonly type: number
  readonly flags: number
  readonly stream: number
  readonly payload: Buffer
}

export const frameType = {
  data: 0,
  headers: 1,
  priority: 2,
  resetStream: 3,
  settings: 4,
  ping: 6,
  goAway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const

export const flag = { endStream: 1, ack: 1, endHeaders: 4, padded: 8 } as const

/** The bytes of one frame. */
export const frame = (type: number, flags: number, stream: number, payload: Buffer | string = ''): Buffer => {
  const content = typeof payload === 'string' ? Buffer.from(payload, 'latin1') : payload
  const head = Buffer.alloc(9)
  head.writeUIntBE(content.length, 0, 3)
  head.writeUInt8(type, 3)
  head.writeUInt8(flags, 4)
  head.writeUInt32BE(stream, 5)
  return Buffer.concat([head, content])
}

/** A RST_STREAM frame. */
export const resetStream = (stream: number, code: number): Buffer =>
  frame(frameType.resetStream, 0, stream, uint32(code))

/** A GOAWAY frame without an error. */
export const goAway = frame(frameType.goAway, 0, 0, Buffer.alloc(8))

/** A SETTINGS frame with the initial window of streams. */
export const streamWindow = (bytes: number): Buffer =>
  frame(frameType.settings, 0, 0, Buffer.concat([Buffer.from([0, 4]), uint32(bytes)]))

/** Enlarges the window of the connection. */
export const widenConnection = (bytes: number): Buffer => frame(frameType.windowUpdate, 0, 0, uint32(bytes))

const uint32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

/** A header block of unindexed literal fields: they are sent as they are. */
export const headerBlock = (fields: readonly (readonly [name: string, value: string])[]): Buffer =>
  Buffer.concat(fields.flatMap(([name, value]) => [Buffer.from([0]), text(name), text(value)]))

/** A head: a HEADERS frame, and as many CONTINUATION frames as its size needs. */
export const headers = (
  stream: number,
  fields: readonly (readonly [name: string, value: string])[],
  flags: number = flag.endHeaders | flag.endStream,
): Buffer => {
  const block = headerBlock(fields)
  if (block.length <= FRAME_BYTES) return frame(frameType.headers, flags, stream, block)
  const frames = [frame(frameType.headers, flags & ~flag.endHeaders, stream, block.subarray(0, FRAME_BYTES))]
  for (let at = FRAME_BYTES; at < block.length; at += FRAME_BYTES) {
    const isLast = at + FRAME_BYTES >= block.length
    const part = block.subarray(at, at + FRAME_BYTES)
    frames.push(frame(frameType.continuation, isLast ? flags & flag.endHeaders : 0, stream, part))
  }
  return Buffer.concat(frames)
}

/** The default maximum frame size. */
const FRAME_BYTES = 16_384

/** The fields of every request. */
export const get = (path = '/', authority = 'example.com'): [string, string][] => [
  [':method', 'GET'],
  [':scheme', 'http'],
  [':authority', authority],
  [':path', path],
]

/** The same for a request with a body. */
export const post = (path = '/', authority = 'example.com'): [string, string][] => [
  [':method', 'POST'],
  ...get(path, authority).slice(1),
]

/** An HTTP/2 client on byte level, which can send what no library would. */
export class RawHttp2Client {
  readonly socket: Socket
  readonly frames: Frame[] = []
  closed = false
  #rest = Buffer.alloc(0)
  #waiting: (() => void)[] = []

  /**
   * @param before Sent ahead of the preface.
   * @param socket A connection that exists, such as one over TLS.
   */
  constructor(port: number, before = '', socket = connect(port, '127.0.0.1')) {
    this.socket = socket
    this.socket.on('error', () => undefined)
    this.socket.on('data', (chunk: Buffer) => this.#read(chunk))
    this.socket.on('close', () => {
      this.closed = true
      this.#wake()
    })
    this.send(
      Buffer.from(before),
      Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
      frame(frameType.settings, 0, 0),
    )
  }

  send(...frames: readonly Buffer[]): void {
    this.socket.write(Buffer.concat(frames))
  }

  /** Resolves with the first matching frame, or with undefined once the connection is closed. */
  async until(fits: (frame: Frame) => boolean): Promise<Frame | undefined> {
    for (;;) {
      const found = this.frames.find(fits)
      if (found || this.closed) return found
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
    }
  }

  /** The end of a stream or, failing that, of the connection. */
  async outcome(stream: number): Promise<'answered' | 'reset' | 'goaway' | 'closed'> {
    const ended = await this.until(
      ({ type, stream: of, flags }) =>
        (of === stream && type === frameType.resetStream) ||
        type === frameType.goAway ||
        (of === stream &&
          (type === frameType.data || type === frameType.headers) &&
          (flags & flag.endStream) !== 0),
    )
    if (!ended) return 'closed'
    return ended.type === frameType.resetStream
      ? 'reset'
      : ended.type === frameType.goAway
        ? 'goaway'
        : 'answered'
  }

  [Symbol.dispose](): void {
    this.socket.destroy()
  }

  #read(chunk: Buffer): void {
    let bytes = Buffer.concat([this.#rest, chunk])
    while (bytes.length >= 9) {
      const length = bytes.readUIntBE(0, 3)
      if (bytes.length < 9 + length) break
      const payload = bytes.subarray(9, 9 + length)
      const [type, flags] = [bytes.readUInt8(3), bytes.readUInt8(4)]
      this.frames.push({ type, flags, stream: bytes.readUInt32BE(5) & 0x7fffffff, payload })
      if (type === frameType.settings && (flags & flag.ack) === 0)
        this.send(frame(frameType.settings, flag.ack, 0))
      bytes = bytes.subarray(9 + length)
    }
    this.#rest = bytes
    this.#wake()
  }

  #wake(): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (const one of waiting) one()
  }
}

/**
 * Connects a client whose side stays open when the server ends its own.
 *
 * @param ca The authority of a server at `localhost` with TLS; cleartext without it.
 */
export const openRawHttp2 = async (port: number, ca?: string): Promise<RawHttp2Client> => {
  const tcp = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  if (ca === undefined) return new RawHttp2Client(port, '', tcp)
  tcp.on('error', () => undefined)
  const socket = connectTls({ socket: tcp, servername: 'localhost', ca, ALPNProtocols: ['h2'] })
  // TLS has no reset of its own.
  socket.resetAndDestroy = () => {
    tcp.resetAndDestroy()
    return socket
  }
  await once(socket, 'secureConnect')
  return new RawHttp2Client(port, '', socket)
}

/** A string literal of HPACK without Huffman coding (RFC 7541 section 5.2). */
const text = (value: string): Buffer => {
  const bytes = Buffer.from(value, 'latin1')
  const { length } = bytes
  if (length < 127) return Buffer.concat([Buffer.from([length]), bytes])
  const prefix = [127]
  let rest = length - 127
  for (; rest >= 128; rest >>= 7) prefix.push((rest & 127) | 128)
  prefix.push(rest)
  return Buffer.concat([Buffer.from(prefix), bytes])
}
