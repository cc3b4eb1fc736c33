import type { JsonObject } from '../../../json/json-object.ts'
import type { TextSlot } from '../text-slot.ts'
import { textRoles } from '../roles.ts'
import { walk } from '../walk.ts'

/** The texts of an embeddings request. Inputs given as token ids are skipped. */
export const embeddingsRequestTexts = (body: JsonObject): readonly TextSlot[] =>
  walk(body, { textRole: textRoles.user, modes: new Map([['input', 'text']]), areApart: true })

/** The texts of a rerank request: the query and the documents, which are strings or objects with any members. */
export const rerankRequestTexts = (body: JsonObject): readonly TextSlot[] =>
  walk(body, { textRole: textRoles.user, areApart: true })

/**
 * The texts of a body in the native format of a Bedrock model (`InvokeModel`): a conversation, a prompt, or inputs of
 * embeddings. The names of the members decide.
 */
export const invokeRequestTexts = (body: JsonObject): readonly TextSlot[] =>
  walk(body, { textRole: textRoles.user, modes: new Map([['input', 'text']]) })
