import { BadReply, BadRequest } from '../chat/codec.ts'
import type { FieldRules } from '../members/fields.ts'

/** How requests of this format are read: the API takes JSON as protocol buffers map it. */
export const requestRules: FieldRules = { refusal: BadRequest, protobuf: true }

/** How answers are read. */
export const replyRules: FieldRules = { refusal: BadReply, protobuf: true }
