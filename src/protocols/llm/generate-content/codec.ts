import type { ChatCodec } from '../chat/codec.ts'
import { decodeReply } from './decode-reply.ts'
import { decodeRequest } from './decode-request.ts'
import { GenerateContentDecoder } from './decode-stream.ts'
import { encodeReply } from './encode-reply.ts'
import { encodeRequest } from './encode-request.ts'
import { GenerateContentEncoder } from './encode-stream.ts'
import { decodeError, encodeError, encodeStreamError } from './errors.ts'
import { GenerateContentStreamAttributes, replyAttributes, requestAttributes } from './attributes.ts'

/**
 * Gemini's own format: `generateContent` and `streamGenerateContent?alt=sse` of the Gemini API and Vertex AI.
 *
 * @example
 * const asked = { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] }
 * // The model and whether to stream are in the path.
 * const attributes = generateContent.requestAttributes(asked, { model: 'm', streaming: true })
 * attributes.streaming // true
 */
export const generateContent: ChatCodec = {
  format: 'generateContent',
  decodeRequest,
  encodeRequest,
  decodeReply,
  encodeReply,
  decodeStream: (losses) => new GenerateContentDecoder(losses),
  encodeStream: (options, losses) => new GenerateContentEncoder(options, losses),
  decodeError,
  encodeError,
  encodeStreamError,
  requestAttributes,
  replyAttributes,
  streamAttributes: () => new GenerateContentStreamAttributes(),
}
