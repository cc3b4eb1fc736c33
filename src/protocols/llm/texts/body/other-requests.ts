import type { JsonObject } from '../../../json/json-object.ts'
import type { TextSlot } from '../text-slot.ts'
import { textRoles } from '../roles.ts'
import { walk } from '../walk.ts'

/** What vectors are wanted of. Tokens instead of texts are not read. */
export const embeddingsRequestTexts = (body: JsonObject): readonly TextSlot[] =>
  walk(body, { textRole: textRoles.user, modes: new Map([['input', 'text']]), areApart: true })

/** A question, and the documents that are to be ordered by it: texts, or objects of which any member may be one. */
export const rerankRequestTexts = (body: JsonObject): readonly TextSlot[] =>
  walk(body, { textRole: textRoles.user, areApart: true })

/**
 * The texts of a body in the format of whatever model of Bedrock it is for (`InvokeModel`): a conversation, a prompt, or
 * texts for vectors. Nothing says which; the names of the members do.
 */
export const invokeRequestTexts = (body: JsonObject): readonly TextSlot[] =>
  walk(body, { textRole: textRoles.user, modes: new Map([['input', 'text']]) })
