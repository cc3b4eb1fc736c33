import type { ChatCodec } from '../chat/codec.ts'
import { decodeReply } from './decode-reply.ts'
import { decodeRequest } from './decode-request.ts'
import { ConverseDecoder } from './decode-stream.ts'
import { encodeReply } from './encode-reply.ts'
import { encodeRequest } from './encode-request.ts'
import { decodeError, encodeError } from './errors.ts'
import { ConverseStreamAttributes, replyAttributes, requestAttributes } from './attributes.ts'

/**
 * Converse of Amazon Bedrock: `converse` and `converse-stream`.
 *
 * Its streams are binary frames: they can be decoded, by the name and the payload of each frame, but not encoded.
 * `encodeStream` and `encodeStreamError` throw; no translation uses them.
 *
 * @example
 * const request = messages.decodeRequest({ model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'hi' }] }, {}, new Losses())
 * converse.encodeRequest(request, new Losses()).inferenceConfig // { maxTokens: 9 }
 */
export const converse: ChatCodec = {
  format: 'converse',
  decodeRequest,
  encodeRequest,
  decodeReply,
  encodeReply,
  decodeStream: (losses) => new ConverseDecoder(losses),
  encodeStream: () => unsupported(),
  decodeError,
  encodeError,
  encodeStreamError: () => unsupported(),
  requestAttributes,
  replyAttributes,
  streamAttributes: () => new ConverseStreamAttributes(),
}

const unsupported = (): never => {
  throw new Error('streams of Bedrock Converse are frames, and cannot be written as text: not supported')
}
