import type { ChatCodec } from '../chat/codec.ts'
import { decodeError, encodeError, encodeStreamError } from './errors.ts'
import { decodeReply } from './decode-reply.ts'
import { decodeRequest } from './decode-request.ts'
import { CompletionsDecoder } from './decode-stream.ts'
import { encodeReply } from './encode-reply.ts'
import { encodeRequest } from './encode-request.ts'
import { CompletionsEncoder } from './encode-stream.ts'
import { replyAttributes, requestAttributes } from './attributes.ts'
import { CompletionsStreamAttributes } from './stream-attributes.ts'

/**
 * OpenAI Chat Completions, with the extensions of compatible providers.
 *
 * @example
 * const losses = new Losses()
 * const asked = { model: 'm', messages: [{ role: 'user', content: 'hi' }], logit_bias: { 7: 1 } }
 * const request = completions.decodeRequest(asked, {}, losses)
 * losses.fields // ['logit_bias']
 * generateContent.encodeRequest(request, losses) // { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] }
 */
export const completions: ChatCodec = {
  format: 'completions',
  decodeRequest,
  encodeRequest,
  decodeReply,
  encodeReply,
  decodeStream: (losses) => new CompletionsDecoder(losses),
  encodeStream: (options, losses) => new CompletionsEncoder(options, losses),
  decodeError,
  encodeError,
  encodeStreamError,
  requestAttributes,
  replyAttributes,
  streamAttributes: () => new CompletionsStreamAttributes(),
}
