import type { Transform } from 'node:stream'
import zlib from 'node:zlib'
import { type Body, bodyAlreadyUsed, type BodySink } from '../../../model/exchange/body.ts'
import { Fault } from '../../../model/exchange/fault.ts'
import { PipedBody } from '../../body/piped-body.ts'
import { codingsIn } from './content-encoding.ts'

/** Decodes a body as it streams; undefined if the content encoding is unknown. */
export const decodeBody = (body: Body, written: string): Body | undefined => {
  const codings = codingsIn(written)
  if (codings.length === 0) return body
  const make = codings.length === 1 ? decoders[codings[0] as string] : undefined
  return make && new DecodedBody(body, make)
}

class DecodedBody extends PipedBody implements BodySink {
  readonly lengthBytes = undefined
  readonly #source: Body
  readonly #decoder: Transform
  #to: BodySink | undefined = undefined

  constructor(source: Body, make: () => Transform) {
    super()
    this.#source = source
    this.#decoder = make()
  }

  pipe(to: BodySink): void {
    if (this.#to) throw bodyAlreadyUsed()
    this.#to = to
    const decoder = this.#decoder
    decoder.on('data', (chunk: Buffer) => {
      if (to.write(chunk)) return
      decoder.pause()
      to.onDrain(() => {
        decoder.resume()
      })
    })
    decoder.once('end', () => {
      to.end()
    })
    decoder.on('error', (fault) => {
      to.fail(fault instanceof Fault ? fault : invalidEncoding())
    })
    this.#source.pipe(this)
  }

  drop(): void {
    this.#source.drop()
    this.#decoder.destroy()
  }

  write(chunk: Uint8Array): boolean {
    // After a decoder error, the rest is discarded.
    return this.#decoder.destroyed || this.#decoder.write(chunk)
  }

  end(): void {
    this.#decoder.end()
  }

  fail(fault: unknown): void {
    this.#decoder.destroy(fault instanceof Error ? fault : new Error(String(fault)))
  }

  onDrain(resume: () => void): void {
    if (this.#decoder.destroyed) resume()
    else this.#decoder.once('drain', resume)
  }
}

const invalidEncoding = (): Fault =>
  new Fault('invalid_reply', 'failed to process LLM response: failed to decode response', {
    status: 502,
    reason: 'UpstreamFailure',
  })

const decoders: Readonly<Record<string, () => Transform>> = {
  gzip: () => zlib.createGunzip(),
  'x-gzip': () => zlib.createGunzip(),
  deflate: () => zlib.createInflate(),
  br: () => zlib.createBrotliDecompress(),
  zstd: () => zlib.createZstdDecompress(),
}
