import type { Readable } from 'node:stream'
import { type Body, type BodySink, bodyTooLarge } from '../../model/exchange/body.ts'
import { readableOf } from './node-readable.ts'

/**
 * Reads a body that can be piped: all of it, or rejects with `body_too_large` beyond the limit and discards the rest.
 */
export const collect = (body: Pick<Body, 'pipe'>, limitBytes: number): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    let chunks: Uint8Array[] = []
    let sizeBytes = 0
    body.pipe({
      write(chunk) {
        sizeBytes += chunk.length
        if (sizeBytes <= limitBytes) chunks.push(chunk)
        else {
          chunks = []
          reject(bodyTooLarge(limitBytes))
        }
        return true
      },
      end() {
        resolve(Buffer.concat(chunks))
      },
      fail: reject,
      onDrain: (resume) => {
        resume()
      },
    })
  })

/** A body that implements `pipe`; reading it whole and as a Node stream are based on that. */
export abstract class PipedBody implements Body {
  abstract readonly lengthBytes: number | undefined
  abstract pipe(to: BodySink): void
  abstract drop(): void

  read(limitBytes: number): Promise<Buffer> {
    return collect(this, limitBytes)
  }

  source(): Readable {
    return readableOf(this)
  }
}
