import { Buffer } from 'node:buffer'
import { Socket } from 'node:net'
import type { Loan } from '../model/body.ts'
import { giveBackBlock, takeBlock } from './read-blocks.ts'

/** What the first read of an answer may bring: heads and small answers as a whole. */
const SHARED_BYTES = 8_192
/** A block with less in it is copied, so that whoever keeps a chunk keeps no more than four times its size. */
const LENT_FROM_BYTES = 16_384

/** Between their large bodies all connections read into this. Nothing that refers to it outlives a read. */
const shared = Buffer.allocUnsafeSlow(SHARED_BYTES)

/**
 * A connection whose reads go into memory that is used again, for an HTTP client that fetches with `read()` when it hears
 * `readable`. Node allocates 64 KiB for each read, and V8 collects its whole heap for every 64 MB of that.
 *
 * What comes is copied out of a buffer that all connections share, until a body turns out to be large. From then on it
 * is read into blocks, and these are lent: the client hears `readable` inside the read, so that a chunk can have been
 * parsed and be out at its receiver's before the read returns. If all of it was given back by then, the block takes the
 * next read; if not, it belongs to whoever kept a part of it, and this connection never touches it again.
 */
export class AnswerSocket extends Socket implements Loan {
  /** What the read under way goes into. */
  #memory: Buffer = shared
  /** The last read filled its memory: there is more to come at once. */
  #isFull = false
  /** The head of an answer is through, its body is not. */
  #inBody = false
  /** What has been read and not been fetched. */
  #chunk: Buffer | undefined = undefined
  /** The block on loan, during the read that filled it. */
  #lent: Buffer | undefined = undefined
  /** Chunks of it that have not been given back. */
  #out = 0
  /** Where the last chunk of it ended. */
  #lentUpTo = 0

  constructor() {
    super({
      onread: { buffer: () => this.#nextMemory(), callback: (lengthBytes) => this.#take(lengthBytes) },
      // A client that has stopped fetching stops the reading with the first chunk that it leaves.
      readableHighWaterMark: 1,
    } as ConstructorParameters<typeof Socket>[0])
  }

  /** The bytes that follow are the body of an answer: nothing but its receiver will refer to them. */
  bodyBegins(): void {
    this.#inBody = true
    // Of a block that also holds a head, others may keep a part.
    this.#lent = undefined
  }

  /** The bytes that follow are none of its. */
  bodyEnded(): void {
    this.#inBody = false
  }

  /** The loan that a chunk is part of. Whoever asks accounts for each chunk of a body, in order. */
  loanOf(chunk: Uint8Array): Loan | undefined {
    if (chunk.buffer !== this.#lent?.buffer) return undefined
    this.#out++
    this.#lentUpTo = chunk.byteOffset + chunk.length
    return this
  }

  giveBack(chunk: Uint8Array): void {
    if (chunk.buffer === this.#lent?.buffer) this.#out--
  }

  override read(size?: number): unknown {
    return (size === 0 ? undefined : this.#unfetched()) ?? super.read(size)
  }

  /** Node asks after each read. */
  #nextMemory(): Buffer {
    const isLarge = this.#inBody && this.#isFull
    if (this.#memory === shared) {
      if (isLarge) this.#memory = takeBlock()
    } else if (!isLarge) {
      giveBackBlock(this.#memory)
      this.#memory = shared
    }
    return this.#memory
  }

  /** Some bytes came. False stops the reading. */
  #take(lengthBytes: number): boolean {
    const memory = this.#memory
    this.#isFull = lengthBytes >= (memory === shared ? SHARED_BYTES : LENT_FROM_BYTES)
    if (memory === shared || !this.#isFull || !this.#inBody)
      return this.#offer(Buffer.from(memory.subarray(0, lengthBytes)))
    this.#memory = shared
    this.#lent = memory
    this.#out = 0
    this.#lentUpTo = 0
    try {
      return this.#offer(memory.subarray(0, lengthBytes))
    } catch (bug) {
      // Node does not ask what to read into after that, and would read into the block again.
      this.destroy()
      throw bug
    } finally {
      if (this.#isGivenBack(lengthBytes)) this.#memory = memory
      this.#lent = undefined
    }
  }

  #isGivenBack(lengthBytes: number): boolean {
    // What comes before a byte of a body is body and framing, of which nobody keeps anything.
    return this.#lent !== undefined && this.#out === 0 && this.#lentUpTo === lengthBytes
  }

  /** Has the chunk fetched, or keeps it. */
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
