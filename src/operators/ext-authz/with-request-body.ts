import { BufferBody } from '../../model/exchange/body.ts'
import type { Reply } from '../../model/exchange/reply.ts'
import type { Request } from '../../model/exchange/request.ts'
import { setBuffered, requestTooLarge } from '../body/buffer-body.ts'
import { readAhead } from '../body/read-prefix.ts'
import type { RequestBodyPart } from './check-result.ts'

/** How much of a body is sent to the service. */
export interface WithRequestBodyOptions {
  readonly maxRequestBytes: number
  /** Sends the beginning of longer bodies; otherwise they are refused with 413. */
  readonly allowPartialMessage: boolean
}

/** The part of a body for the service, while the body stays whole for later stages; or the refusal. */
export const withRequestBody = async (
  request: Request,
  { maxRequestBytes, allowPartialMessage }: WithRequestBodyOptions,
): Promise<{ readonly part: RequestBodyPart } | { readonly refusal: Reply }> => {
  const { body } = request
  const tooLong = { refusal: requestTooLarge(maxRequestBytes) }
  if (!allowPartialMessage && (body.lengthBytes ?? 0) > maxRequestBytes) return tooLong
  if (body.lengthBytes === 0) return whole(Buffer.alloc(0))
  if (body instanceof BufferBody)
    return body.lengthBytes > maxRequestBytes
      ? beginning(body.bytes.subarray(0, maxRequestBytes))
      : whole(body.bytes)
  const ahead = await readAhead(body, maxRequestBytes)
  if ('whole' in ahead) {
    setBuffered(request, ahead.whole)
    return whole(ahead.whole.bytes)
  }
  if (!allowPartialMessage) {
    ahead.longer.drop()
    return tooLong
  }
  const bytes = ahead.longer.beginning()
  request.body = ahead.longer
  return beginning(bytes)
}

const whole = (bytes: Buffer) => ({ part: { bytes, isPartial: false } })
const beginning = (bytes: Buffer) => ({ part: { bytes, isPartial: true } })
