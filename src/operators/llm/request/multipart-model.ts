/**
 * Finds the field `model` of a multipart form (RFC 7578) in its bytes, received in any chunks. Files may come before
 * or after it.
 */
export class MultipartModel {
  readonly #delimiter: string
  /** The possible beginning of a part that is still incomplete. */
  #rest: Buffer = Buffer.alloc(0)
  /** The complete values. */
  readonly values: string[] = []
  /** How many such fields have begun. */
  count = 0

  /** @param type The content type, with the boundary. */
  constructor(type: string) {
    const [boundary, ...more] = type.matchAll(/boundary=(?:"([^"]{1,70})"|([^\s;]{1,70}))/gi)
    this.#delimiter = boundary ? `--${boundary[1] ?? boundary[2] ?? ''}` : ''
    // With two boundaries the form is ambiguous.
    if (more.length) this.count = 2
  }

  push(chunk: Uint8Array): void {
    if (this.#delimiter === '') return
    const bytes = Buffer.concat([this.#rest, chunk])
    let at = bytes.indexOf(this.#delimiter)
    while (at >= 0) {
      const start = at + this.#delimiter.length
      const headEnd = bytes.indexOf('\r\n\r\n', start)
      const isWhole = headEnd >= 0 && headEnd - start <= MAX_HEAD_BYTES
      if (!isWhole && bytes.length - start <= MAX_HEAD_BYTES) break
      const isField = isModel.test(
        bytes.toString('latin1', start, isWhole ? headEnd : start + MAX_HEAD_BYTES),
      )
      const next = bytes.indexOf(this.#delimiter, start)
      if (isField && next < 0 && bytes.length - start <= MAX_HEAD_BYTES + MAX_VALUE_BYTES) break
      if (isField) this.count++
      if (isField && isWhole && next >= headEnd + 4)
        this.values.push(bytes.toString('utf8', headEnd + 4, next - 2))
      at = next
    }
    const from = at < 0 ? Math.max(0, bytes.length - this.#delimiter.length + 1) : at
    this.#rest = Buffer.from(bytes.subarray(from))
  }
}

const MAX_HEAD_BYTES = 4096
const MAX_VALUE_BYTES = 4096
const isModel = /content-disposition\s*:\s*form-data\s*;[^\r\n]*\bname\s*=\s*(?:"model"|model)(?:[;\s]|$)/i
