import type { ChatCodec } from '../../protocols/llm/chat/codec.ts'
import type { ErrorInstruction, Instructions } from './instructions.ts'
import { jsonAnswer, type MockAnswer } from './mock-answer.ts'

/** The answer that instructions ask for in place of one, in a format's own shape. */
export const toldError = (
  { error, delayMs }: Pick<Instructions, 'error' | 'delayMs'>,
  codec: ChatCodec,
): MockAnswer | undefined => error && errorAnswer(error, codec, delayMs)

/** An error in a format's own shape. Who is to come again later is told when. */
export const errorAnswer = (error: ErrorInstruction, codec: ChatCodec, delayMs = 0): MockAnswer => {
  const { status, message = `The mock was told to answer ${status}.` } = error
  const retryAfterS = error.retryAfterS ?? (isForNow.has(status) ? 1 : undefined)
  return jsonAnswer(status, codec.encodeError({ status, message }), {
    delayMs,
    headers: retryAfterS === undefined ? [] : ['retry-after', String(retryAfterS)],
  })
}

const isForNow: ReadonlySet<number> = new Set([429, 503, 529])
