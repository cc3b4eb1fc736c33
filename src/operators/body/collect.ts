import { type Body, bodyTooLarge } from '../../model/body.ts'

/** Reads a body that can be piped: all of it, or `body_too_large` beyond the limit, having let go of the rest. */
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
