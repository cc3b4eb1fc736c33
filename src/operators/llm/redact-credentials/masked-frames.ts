import { crc32 } from 'node:zlib'
import type { Body, BodySink } from '../../../model/exchange/body.ts'
import { BufferedBytes } from '../../../model/exchange/buffered-bytes.ts'
import { PassingSink } from '../../../model/exchange/pass-through-sink.ts'
import { asBuffer } from '../../body/as-buffer.ts'
import { PassingBody } from '../../body/pass-through-body.ts'
import { maskCredentials } from './credential-mask.ts'
import type { CredentialPattern } from './credential-pattern.ts'

/**
 * A stream of AWS frames without the credentials that its source repeats. Frames with a credential get a new
 * checksum; all others keep their bytes. An invalid frame, or one above the limits of the services, ends the stream
 * with an error.
 */
export class MaskedFrames extends PassingBody {
  readonly #pattern: CredentialPattern

  constructor(body: Body, pattern: CredentialPattern) {
    super(body)
    this.#pattern = pattern
  }

  pipe(to: BodySink): void {
    this.body.pipe(new FrameSink(to, this.#pattern, this.body))
  }
}

class FrameSink extends PassingSink {
  readonly #pattern: CredentialPattern
  readonly #source: Body
  readonly #buffered = new BufferedBytes()
  /** How many bytes must be buffered before the next frame can be read. */
  #neededBytes = 0
  #isBroken = false

  constructor(to: BodySink, pattern: CredentialPattern, source: Body) {
    super(to)
    this.#pattern = pattern
    this.#source = source
  }

  override write(chunk: Uint8Array): boolean {
    if (this.#isBroken) return true
    let bytes = asBuffer(chunk)
    if (this.#buffered.length > 0) {
      this.#buffered.add(chunk)
      if (this.#buffered.length < this.#neededBytes) return true
      bytes = this.#buffered.take()
    }
    const end = endOfFrames(bytes)
    if (end === undefined) {
      this.#isBroken = true
      this.#source.drop()
      this.to.fail(new Error('the provider sent a frame that nobody can read'))
      return true
    }
    const rest = bytes.subarray(end)
    if (rest.length > 0) this.#buffered.add(rest)
    this.#neededBytes = rest.length < LENGTH_BYTES ? LENGTH_BYTES : rest.readUInt32BE(0)
    return end === 0 || this.to.write(this.#masked(bytes.subarray(0, end)))
  }

  override end(trailers?: readonly string[]): void {
    if (this.#isBroken) return
    // Half a frame: the reader must detect that it is incomplete.
    if (this.#buffered.length > 0) this.to.write(maskCredentials(this.#buffered.take(), this.#pattern))
    this.to.end(trailers)
  }

  override fail(fault: unknown): void {
    if (!this.#isBroken) this.to.fail(fault)
  }

  #masked(frames: Buffer): Buffer {
    if (!this.#pattern.find(frames, 0)) return frames
    const parts: Buffer[] = []
    for (let at = 0; at < frames.length;) {
      const end = at + frames.readUInt32BE(at)
      const frame = frames.subarray(at, end)
      const masked = maskCredentials(frame, this.#pattern)
      if (masked !== frame)
        masked.writeUInt32BE(crc32(masked.subarray(0, -CRC_BYTES)), masked.length - CRC_BYTES)
      parts.push(masked)
      at = end
    }
    return Buffer.concat(parts)
  }
}

/** The offset after the last complete frame; undefined if one is invalid. */
const endOfFrames = (bytes: Buffer): number | undefined => {
  let end = 0
  while (bytes.length - end >= LENGTH_BYTES) {
    const length = bytes.readUInt32BE(end)
    if (length < LEAST_BYTES || length > MOST_BYTES) return undefined
    if (bytes.length - end < length) break
    end += length
  }
  return end
}

const LENGTH_BYTES = 4
const CRC_BYTES = 4
/** Two lengths, their checksum, and the checksum of the frame. */
const LEAST_BYTES = 16
/** Services send at most 16 MiB of payload, and 128 KiB of headers. */
const MOST_BYTES = 17 * 1024 * 1024
