import type { ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'

/** Bytes that identify their body and position: two bodies are never equal for longer than a few bytes. */
export const patterned = (id: number, at: number, size: number): Buffer => {
  const bytes = Buffer.allocUnsafe(size)
  for (let i = 0; i < size; i++) bytes[i] = byteOf(id, at + i)
  return bytes
}

/** The first byte of a chunk that is wrong at position `at` of a body; undefined if all are right. */
export const wrongByte = (id: number, at: number, chunk: Uint8Array): number | undefined => {
  for (let i = 0; i < chunk.length; i++) if (chunk[i] !== byteOf(id, at + i)) return at + i
  return undefined
}

/** How an upstream sends a body. */
export interface Sending {
  readonly id: number
  readonly lengthBytes: number
  readonly writeBytes: number
  readonly framing: 'length' | 'chunked' | 'trailers' | 'close'
  /** Aborts in the middle; not for a body that ends with its connection. */
  readonly breaks: boolean
}

/** Sends a patterned body, as fast as it is read. */
export const sendPatterned = (res: ServerResponse, sending: Sending): void => {
  const { id, lengthBytes, writeBytes, framing, breaks } = sending
  if (framing === 'length') res.setHeader('content-length', lengthBytes)
  if (framing === 'trailers') res.setHeader('trailer', 'x-sum')
  if (framing === 'close') {
    res.useChunkedEncodingByDefault = false
    res.shouldKeepAlive = false
  }
  const until = breaks ? lengthBytes / 2 : lengthBytes
  let sent = 0
  const more = (): void => {
    while (sent < until) {
      const size = Math.min(writeBytes, lengthBytes - sent)
      const goOn = res.write(patterned(id, sent, size))
      sent += size
      if (goOn) continue
      res.once('drain', more)
      return
    }
    if (breaks) {
      res.write('', () => res.destroy())
      return
    }
    if (framing === 'trailers') res.addTrailers({ 'x-sum': `sum of ${id} ${'~'.repeat(id % 900)}` })
    res.end()
  }
  more()
}

/** How a client reads: at once, a little per turn, on demand, or not to the end. */
export interface ReadPace {
  readonly slow: boolean
  readonly after?: Promise<unknown>
  readonly leavesAfter?: number
}

/** Reads a patterned body and returns what was wrong with it, if anything. */
export const readPatterned = async (
  stream: Readable,
  { id, lengthBytes, breaks }: Pick<Sending, 'id' | 'lengthBytes' | 'breaks'>,
  { slow, after, leavesAfter = Infinity }: ReadPace,
): Promise<string | undefined> => {
  let at = 0
  try {
    await after
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      const strange = wrongByte(id, at, chunk)
      if (strange !== undefined) return `byte ${strange} of ${id} is not its own`
      at += chunk.length
      if (at >= leavesAfter) return undefined
      if (slow) await new Promise(setImmediate)
    }
  } catch (error) {
    return breaks ? undefined : `${id} broke off at ${at}: ${String(error)}`
  }
  if (breaks) return `${id} looks whole`
  return at === lengthBytes ? undefined : `${id} has ${at} bytes instead of ${lengthBytes}`
}

const byteOf = (id: number, at: number): number =>
  (Math.imul((at >>> 2) + Math.imul(id, 40_503), 0x9e37_79b1) >>> ((at & 3) << 3)) & 255
