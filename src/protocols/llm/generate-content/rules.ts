import { BadReply, BadRequest } from '../chat/codec.ts'
import type { FieldRules } from '../members/fields.ts'

/** How requests of this format are decoded: the API accepts the JSON mapping of protocol buffers. */
export const requestRules: FieldRules = { refusal: BadRequest, protobuf: true }

/** How responses of this format are decoded. */
export const replyRules: FieldRules = { refusal: BadReply, protobuf: true }
