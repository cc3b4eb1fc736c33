import { BadReply, BadRequest } from '../chat/codec.ts'
import type { FieldRules } from '../members/fields.ts'

/** The rules of reading requests of this format. */
export const requestRules: FieldRules = { refusal: BadRequest }

/** The rules of reading responses. */
export const replyRules: FieldRules = { refusal: BadReply }
