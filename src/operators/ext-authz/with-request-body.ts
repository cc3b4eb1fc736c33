import { BufferBody } from '../../model/body.ts'
import type { Reply } from '../../model/reply.ts'
import type { Request } from '../../model/request.ts'
import { putHeld, requestTooLarge } from '../body/hold.ts'
import { readAhead } from '../body/read-ahead.ts'
import type { ShownBody } from './judgement.ts'

/** How much of a body may be shown. */
export interface ShowBodyOptions {
  readonly maxRequestBytes: number
  /** Shows the beginning of longer ones; otherwise they are refused with 413. */
  readonly allowPartialMessage: boolean
}

/** What a service may see of a body, which stays whole for those who come after; or the refusal. */
export const showBody = async (
  request: Request,
  { maxRequestBytes, allowPartialMessage }: ShowBodyOptions,
): Promise<{ readonly shown: ShownBody } | { readonly refusal: Reply }> => {
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
    putHeld(request, ahead.whole)
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

const whole = (bytes: Buffer) => ({ shown: { bytes, isPartial: false } })
const beginning = (bytes: Buffer) => ({ shown: { bytes, isPartial: true } })
