import { Duplex } from 'node:stream'
import { CredentialMask } from './credential-mask.ts'
import type { CredentialPattern } from './credential-pattern.ts'

/**
 * The connection after an accepted upgrade, without the credentials that the upstream repeats. What is sent to the
 * upstream passes unchanged.
 */
export class MaskedTunnel extends Duplex {
  readonly #inner: Duplex
  readonly #mask: CredentialMask
  constructor(inner: Duplex, pattern: CredentialPattern) {
    super()
    this.#inner = inner
    this.#mask = new CredentialMask(pattern)
    // An error may occur before the stream is connected to the client.
    this.on('error', () => undefined)
    inner.on('data', (chunk: Buffer) => {
      const shown = this.#mask.push(chunk)
      if (shown.length && !this.push(shown)) inner.pause()
    })
    inner.once('end', () => {
      const rest = this.#mask.end()
      if (rest.length) this.push(rest)
      this.push(null)
    })
    inner.on('error', (error) => {
      this.destroy(error)
    })
    inner.once('close', () => {
      if (!inner.readableEnded || this.readableEnded) this.destroy()
      else
        this.once('end', () => {
          this.destroy()
        })
    })
  }

  override _read(): void {
    this.#inner.resume()
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    if (this.#inner.write(chunk)) done()
    else this.#inner.once('drain', done)
  }

  override _final(done: () => void): void {
    this.#inner.end()
    done()
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#inner.destroy()
    done(error)
  }
}
