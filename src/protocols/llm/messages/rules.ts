import { BadReply, BadRequest } from '../chat/codec.ts'
import type { FieldRules } from '../members/fields.ts'

/** How requests of this format are read. */
export const requestRules: FieldRules = { refusal: BadRequest }

/** How answers are read. */
export const replyRules: FieldRules = { refusal: BadReply }
