import type { ChatCodec } from '../../protocols/llm/chat/codec.ts'
import type { ErrorInstruction, Instructions } from './instructions.ts'
import { jsonReply, type MockReply } from './mock-reply.ts'

/** The error that instructions request in place of a reply, in a format's own shape. */
export const requestedError = (
  { error, delayMs }: Pick<Instructions, 'error' | 'delayMs'>,
  codec: ChatCodec,
): MockReply | undefined => error && mockErrorReply(error, codec, delayMs)

/** An error in a format's own shape, with `retry-after` where clients should retry. */
export const mockErrorReply = (error: ErrorInstruction, codec: ChatCodec, delayMs = 0): MockReply => {
  const { status, message = `The mock was told to answer ${status}.` } = error
  const retryAfterS = error.retryAfterS ?? (isForNow.has(status) ? 1 : undefined)
  return jsonReply(status, codec.encodeError({ status, message }), {
    delayMs,
    headers: retryAfterS === undefined ? [] : ['retry-after', String(retryAfterS)],
  })
}

const isForNow: ReadonlySet<number> = new Set([429, 503, 529])
