import { BadReply, BadRequest } from '../chat/codec.ts'
import type { FieldRules } from '../members/fields.ts'

/** How requests of this format are decoded. */
export const requestRules: FieldRules = { refusal: BadRequest }

/** How responses of this format are decoded. */
export const replyRules: FieldRules = { refusal: BadReply }
