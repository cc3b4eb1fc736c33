import type { ChatCodec } from '../chat/codec.ts'
import { decodeReply } from './decode-reply.ts'
import { decodeRequest } from './decode-request.ts'
import { decodeStream } from './decode-stream.ts'
import { encodeReply } from './encode-reply.ts'
import { encodeRequest } from './encode-request.ts'
import { encodeStream, encodeStreamError } from './encode-stream.ts'
import { decodeError, encodeError } from './errors.ts'
import { replyAttributes, requestAttributes, streamAttributes } from './attributes.ts'

/**
 * OpenAI Responses.
 *
 * @example
 * const request = responses.decodeRequest({ model: 'm', input: 'hi' }, {}, new Losses())
 * request.turns // [{ role: 'user', parts: [{ type: 'text', text: 'hi' }] }]
 */
export const responses: ChatCodec = {
  format: 'responses',
  decodeRequest,
  encodeRequest,
  decodeReply,
  encodeReply,
  decodeStream,
  encodeStream,
  decodeError,
  encodeError,
  encodeStreamError,
  requestAttributes,
  replyAttributes,
  streamAttributes,
}
