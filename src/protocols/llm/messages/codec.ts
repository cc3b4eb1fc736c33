import type { ChatCodec } from '../chat/codec.ts'
import { decodeReply } from './decode-reply.ts'
import { decodeRequest } from './decode-request.ts'
import { MessagesStreamDecoder } from './decode-stream.ts'
import { encodeReply } from './encode-reply.ts'
import { encodeRequest } from './encode-request.ts'
import { MessagesStreamEncoder } from './encode-stream.ts'
import { decodeError, encodeError, encodeStreamError } from './errors.ts'
import { MessagesStreamAttributes, replyAttributes, requestAttributes } from './attributes.ts'

/**
 * The format of Anthropic's Messages API.
 *
 * @example
 * const losses = new Losses()
 * const answer = { id: 'a', type: 'message', role: 'assistant', model: 'm', content: [{ type: 'text', text: 'hi' }] }
 * messages.decodeReply({ ...answer, stop_reason: 'end_turn' }, losses).parts // [{ type: 'text', text: 'hi' }]
 * messages.encodeError({ status: 404, message: 'no such model' }).type // 'error'
 */
export const messages: ChatCodec = {
  format: 'messages',
  decodeRequest,
  encodeRequest,
  decodeReply,
  encodeReply,
  decodeStream: (losses) => new MessagesStreamDecoder(losses),
  encodeStream: (options, losses) => new MessagesStreamEncoder(options, losses),
  decodeError,
  encodeError,
  encodeStreamError,
  requestAttributes,
  replyAttributes,
  streamAttributes: () => new MessagesStreamAttributes(),
}
