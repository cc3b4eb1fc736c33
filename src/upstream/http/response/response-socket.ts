import { Buffer } from 'node:buffer'
import { Socket } from 'node:net'
import type { BufferLease } from '../../../model/exchange/body.ts'
import { ResponseHeads, readOn } from './response-heads.ts'

/** Size of the first read of a response: heads, and small responses as a whole. */
const SHARED_BYTES = 8_192
/** A block with less in it is copied, so that a kept chunk keeps no more than four times its size in memory. */
const LEASE_FROM_BYTES = 16_384

/** Read buffer of all connections outside large bodies. No reference to it outlives a read. */
const shared = Buffer.allocUnsafeSlow(SHARED_BYTES)

/**
 * A connection whose reads reuse memory, for an HTTP client that calls `read()` on `readable`. Node allocates 64 KiB
 * for each read, and V8 collects its whole heap for every 64 MB of that.
 *
 * Bytes are copied out of a buffer that all connections share, until a body turns out to be large. From then on it is
 * read into blocks, and these are leased: `readable` is emitted inside the read, so that a chunk can have been parsed
 * and written to its receiver before the read returns. If every lease was released by then, the block takes the next
 * read; if not, it belongs to the holder of the rest, and this connection never touches it again.
 */
export class ResponseSocket extends Socket implements BufferLease {
  /** Handles the heads that the client does not see. */
  readonly heads = new ResponseHeads((bytes) => {
    if (!bytes || this.#offer(bytes)) readOn(this)
  })
  /** The target of the read under way. */
  #target: Buffer = shared
  /** The last read filled its memory: more bytes are available at once. */
  #isFull = false
  /** The head of a response has been passed on, its body has not ended. */
  #inBody = false
  /** Bytes that were read but not fetched. */
  #chunk: Buffer | undefined = undefined
  /** The leased block, during the read that filled it. */
  #leased: Buffer | undefined = undefined
  /** Number of its chunks that have not been released. */
  #out = 0
  /** End of its last leased chunk. */
  #leasedUpTo = 0

  constructor() {
    super({
      onread: { buffer: () => this.#nextTarget(), callback: (lengthBytes) => this.#take(lengthBytes) },
      // A client that stops fetching stops the reading with its first unfetched chunk.
      readableHighWaterMark: 1,
    } as ConstructorParameters<typeof Socket>[0])
  }

  /** The bytes that follow are the body of a response: only its receiver will refer to them. */
  bodyBegins(): void {
    this.#inBody = true
    // Parts of a block that also contains a head may be kept.
    this.#leased = undefined
  }

  /** The bytes that follow are no longer part of the body. */
  bodyEnded(): void {
    this.#inBody = false
  }

  /** The lease that a chunk is part of. It must be called for each chunk of a body, in order. */
  leaseOf(chunk: Uint8Array): BufferLease | undefined {
    if (chunk.buffer !== this.#leased?.buffer) return undefined
    this.#out++
    this.#leasedUpTo = chunk.byteOffset + chunk.length
    return this
  }

  release(chunk: Uint8Array): void {
    if (chunk.buffer === this.#leased?.buffer) this.#out--
  }

  override read(size?: number): unknown {
    return (size === 0 ? undefined : this.#unfetched()) ?? super.read(size)
  }

  /** Node calls it after each read. */
  #nextTarget(): Buffer {
    const isLarge = this.#inBody && this.#isFull
    if (this.#target === shared) {
      if (isLarge) this.#target = takeBlock()
    } else if (!isLarge) {
      releaseBlock(this.#target)
      this.#target = shared
    }
    return this.#target
  }

  /** Bytes were read. False stops the reading. */
  #take(lengthBytes: number): boolean {
    const target = this.#target
    this.#isFull = lengthBytes >= (target === shared ? SHARED_BYTES : LEASE_FROM_BYTES)
    if (target === shared || !this.#isFull || !this.#inBody)
      return this.#receive(Buffer.from(target.subarray(0, lengthBytes)))
    this.#target = shared
    this.#leased = target
    this.#out = 0
    this.#leasedUpTo = 0
    try {
      return this.#offer(target.subarray(0, lengthBytes))
    } catch (bug) {
      // Node would keep reading into the block after that, so the socket is destroyed.
      this.destroy()
      throw bug
    } finally {
      if (this.#isGivenBack(lengthBytes)) this.#target = target
      this.#leased = undefined
    }
  }

  #isGivenBack(lengthBytes: number): boolean {
    // Bytes before a body chunk are body and framing, of which nothing is kept.
    return this.#leased !== undefined && this.#out === 0 && this.#leasedUpTo === lengthBytes
  }

  override push(chunk: Buffer | null, encoding?: BufferEncoding): boolean {
    const held = chunk === null ? this.heads.end() : undefined
    if (held) super.push(held)
    return super.push(chunk, encoding)
  }

  /** A chunk that may belong to a head. */
  #receive(chunk: Buffer): boolean {
    const rest = this.heads.take(chunk)
    return rest ? this.#offer(rest) : !this.heads.isPaused
  }

  /** Offers a chunk to the client, or buffers it. */
  #offer(chunk: Buffer): boolean {
    if (this.readableLength > 0) return this.push(chunk)
    this.#chunk = chunk
    this.emit('readable')
    const left = this.#unfetched()
    return left === undefined || (!this.destroyed && this.push(left))
  }

  #unfetched(): Buffer | undefined {
    const chunk = this.#chunk
    this.#chunk = undefined
    return chunk
  }
}

/** Size of a block for reading large bodies. A block belongs to its holder until it is released, or for good. */
const blockBytes = 65_536

/** Blocks that are kept for reuse: as many concurrent large responses allocate no new memory. */
const MAX_FREE = 32

const free: Buffer[] = []

/** A block without other references; its old content is still in it. */
const takeBlock = (): Buffer => free.pop() ?? Buffer.allocUnsafeSlow(blockBytes)

/** Only for a block without references, neither from JavaScript nor from a read or write under way. */
const releaseBlock = (block: Buffer): void => {
  if (free.length < MAX_FREE) free.push(block)
}
