import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { EventQueue } from './event-queue.ts'

/** Types of frames of HTTP/2. */
export const frameTypes = { data: 0, headers: 1, reset: 3, settings: 4, ping: 6, goAway: 7 } as const

/** A frame that came. */
export interface RawFrame {
  readonly type: number
  readonly stream: number
  readonly payload: Buffer
}

/** A connection that sends frames of HTTP/2 as the test says, without any of the care of a library. */
export interface RawFrames extends Disposable {
  readonly socket: Socket
  /** Writes frames; without effect once the connection has ended. */
  write(...frames: readonly Buffer[]): void
  /** The next frame of a type; undefined if the connection ends before. */
  next(type: number): Promise<RawFrame | undefined>
  readonly closed: Promise<unknown>
}

/** Connects, and sends the preface. */
export const openRawFrames = async (
  port: number,
  { localAddress = '127.0.0.1', isSecure = false } = {},
): Promise<RawFrames> => {
  const plain = connect({ port, host: '127.0.0.1', localAddress })
  const socket = isSecure
    ? connectTls({ socket: plain, rejectUnauthorized: false, ALPNProtocols: ['h2'] })
    : plain
  socket.on('error', () => undefined)
  const closed = new Promise((resolve) => socket.once('close', resolve))
  await once(socket, isSecure ? 'secureConnect' : 'connect')
  socket.write('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')
  socket.write(frame(frameTypes.settings, 0))
  // What comes is read in any case, or the end of the connection would not be seen.
  const frames = receivedFrames(socket)
  return {
    socket,
    closed,
    write: (...all) => socket.write(Buffer.concat(all)),
    next: async (type) => {
      for (;;) {
        const received = await Promise.race([frames.next(), closed.then(() => undefined)])
        if (received === undefined || received.type === type) return received
      }
    },
    [Symbol.dispose]: () => socket.destroy(),
  }
}

/** A frame. */
export const frame = (type: number, stream: number, payload: Buffer = Buffer.alloc(0), flags = 0): Buffer => {
  const head = Buffer.alloc(9)
  head.writeUIntBE(payload.length, 0, 3)
  head.writeUInt8(type, 3)
  head.writeUInt8(flags, 4)
  head.writeUInt32BE(stream, 5)
  return Buffer.concat([head, payload])
}

/** The headers of a call of gRPC, without any compression. */
export const callHeaders = (
  stream: number,
  path: string,
  fields: readonly (readonly [string, string])[] = [],
): Buffer => {
  const all = [
    [':method', 'POST'],
    [':scheme', 'http'],
    [':path', path],
    [':authority', 'localhost'],
    ['te', 'trailers'],
    ['content-type', 'application/grpc'],
    ...fields,
  ] as const
  const block = all.flatMap(([name, value]) => [Buffer.from([0]), literal(name), literal(value)])
  return frame(frameTypes.headers, stream, Buffer.concat(block), END_HEADERS)
}

const END_HEADERS = 4

/** A text of HPACK: its length has seven bits in the first byte, and seven more in each that follows. */
const literal = (text: string): Buffer => {
  const bytes = Buffer.from(text)
  if (bytes.length < 127) return Buffer.concat([Buffer.from([bytes.length]), bytes])
  const length = [127]
  let rest = bytes.length - 127
  for (; rest >= 128; rest = Math.floor(rest / 128)) length.push((rest % 128) + 128)
  return Buffer.concat([Buffer.from([...length, rest]), bytes])
}

const receivedFrames = (socket: Socket): EventQueue<RawFrame> => {
  const frames = new EventQueue<RawFrame>()
  let pending: Buffer = Buffer.alloc(0)
  socket.on('data', (chunk: Buffer) => {
    pending = Buffer.concat([pending, chunk])
    while (pending.length >= 9) {
      const end = 9 + pending.readUIntBE(0, 3)
      if (pending.length < end) break
      const [type = 0] = pending.subarray(3)
      frames.push({ type, stream: pending.readUInt32BE(5), payload: pending.subarray(9, end) })
      pending = pending.subarray(end)
    }
  })
  return frames
}
