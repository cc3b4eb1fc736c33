import { promisify } from 'node:util'
import zlib from 'node:zlib'
import { BufferBody } from '../../../model/exchange/body.ts'
import type { Reply } from '../../../model/exchange/reply.ts'
import type { Request } from '../../../model/exchange/request.ts'
import { BufferedBody } from '../../body/buffered-body.ts'
import { refuseRequest, requestFailed } from '../refusals.ts'

/**
 * Decodes a buffered body: gzip, deflate, br or zstd, one of them. Undefined if it is not encoded. Resolves to a
 * refusal for any other encoding, and if the decoded body exceeds the limit.
 */
export const decodeContentEncoding = (
  request: Request,
  limitBytes: number,
): Promise<Reply | undefined> | undefined => {
  const written = request.headers.get('content-encoding')
  if (written === undefined) return undefined
  const codings = codingsIn(written)
  if (codings.length === 0) {
    request.headers.delete('content-encoding')
    return undefined
  }
  const decode = codings.length === 1 ? decoders[codings[0] as string] : undefined
  if (!decode)
    return Promise.resolve(
      requestFailed('unsupported_encoding', `unsupported content encoding: ${printable(written)}`, 415),
    )
  if (!(request.body instanceof BufferBody)) return undefined
  return decode(request.body.bytes, { maxOutputLength: limitBytes }).then(
    (bytes) => {
      request.body = new BufferedBody(bytes)
      request.headers.delete('content-encoding')
      request.headers.set('content-length', String(bytes.length))
      return undefined
    },
    (problem: unknown) =>
      isTooLong(problem)
        ? refuseRequest(
            413,
            'request_body_too_large',
            `LLM request body exceeded the buffer limit of ${String(limitBytes)} bytes`,
          )
        : requestFailed(
            'invalid_request_body',
            'failed to parse request: the body is not what its encoding says',
          ),
  )
}

/** The decoder of a content encoding; undefined if it is unknown. */
export const decoderFor = (written: string): Decode | undefined => {
  const codings = codingsIn(written)
  if (codings.length === 0) return (bytes) => Promise.resolve(bytes)
  return codings.length === 1 ? decoders[codings[0] as string] : undefined
}

/** The codings of a Content-Encoding, in lower case, without `identity`. */
export const codingsIn = (written: string): string[] =>
  written
    .toLowerCase()
    .split(',')
    .map((coding) => coding.trim())
    .filter((coding) => coding !== '' && coding !== 'identity')

/** Decodes a whole body, up to a limit. */
export type Decode = (bytes: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>

const gunzip: Decode = promisify(zlib.gunzip)

const decoders: Readonly<Record<string, Decode>> = {
  gzip: gunzip,
  'x-gzip': gunzip,
  deflate: promisify(zlib.inflate),
  br: promisify(zlib.brotliDecompress),
  zstd: promisify(zlib.zstdDecompress),
}

const isTooLong = (problem: unknown): boolean =>
  problem instanceof Error && 'code' in problem && problem.code === 'ERR_BUFFER_TOO_LARGE'

/** The client's text, sanitized for a message. */
const printable = (written: string): string => written.replaceAll(/[^\w, -]/g, '?').slice(0, 64)
