import { Readable } from 'node:stream'
import type { Body, BodySink } from '../../model/exchange/body.ts'

/**
 * A body as a Node stream, for HTTP clients that require one.
 *
 * @param onDestroy Called when the stream is destroyed, also at its end: nothing more is read.
 */
export const readableOf = (body: Body, onDestroy: (readable: BodyReadable) => void = ignore): Readable => {
  const readable = new BodyReadable(onDestroy)
  body.pipe(readable)
  return readable
}

/** The stream of {@link readableOf}: source for the client, sink for the body. */
export class BodyReadable extends Readable implements BodySink {
  readonly #onDestroy: (readable: BodyReadable) => void
  #resume: (() => void) | undefined = undefined

  constructor(onDestroy: (readable: BodyReadable) => void) {
    super()
    this.#onDestroy = onDestroy
  }

  write(chunk: Uint8Array): boolean {
    // Bytes after the client stopped reading are discarded.
    return this.destroyed || this.push(chunk)
  }

  end(): void {
    if (!this.destroyed) this.push(null)
  }

  fail(fault: unknown): void {
    this.destroy(fault instanceof Error ? fault : new Error(String(fault)))
  }

  onDrain(resume: () => void): void {
    this.#resume = resume
  }

  override _read(): void {
    const resume = this.#resume
    this.#resume = undefined
    resume?.()
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#onDestroy(this)
    this._read()
    callback(error)
  }
}

const ignore = (): void => undefined
