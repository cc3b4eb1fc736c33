import { promisify } from 'node:util'
import zlib from 'node:zlib'
import { BufferBody } from '../../../model/body.ts'
import type { Reply } from '../../../model/reply.ts'
import type { Request } from '../../../model/request.ts'
import { HeldBody } from '../../body/held-body.ts'
import { refuseRequest, requestFailed } from './llm-refusal.ts'

/**
 * Takes the content encoding off a body in memory: gzip, deflate, br or zstd, one of them. Undefined if there is none.
 * Resolves to a refusal for any other, and for what is longer than the limit then.
 */
export const decodeRequest = (
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
      requestFailed('unsupported_encoding', `unsupported content encoding: ${encodingWord(written)}`, 415),
    )
  if (!(request.body instanceof BufferBody)) return undefined
  return decode(request.body.bytes, { maxOutputLength: limitBytes }).then(
    (bytes) => {
      request.body = new HeldBody(bytes)
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

/** Takes the content encoding off the bytes of an answer; undefined if it is one that is not known. */
export const decoderOf = (written: string): Decode | undefined => {
  const codings = codingsIn(written)
  if (codings.length === 0) return (bytes) => Promise.resolve(bytes)
  return codings.length === 1 ? decoders[codings[0] as string] : undefined
}

/** What a Content-Encoding lists, in lower case. `identity` says nothing. */
export const codingsIn = (written: string): string[] =>
  written
    .toLowerCase()
    .split(',')
    .map((coding) => coding.trim())
    .filter((coding) => coding !== '' && coding !== 'identity')

/** Decodes all of something, up to a limit. */
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

/** What clients wrote, made harmless for a message. */
const encodingWord = (written: string): string => written.replaceAll(/[^\w, -]/g, '?').slice(0, 64)
