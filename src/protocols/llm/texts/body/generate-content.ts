import type { JsonObject } from '../../json/json-object.ts'
import { errorModes } from './error-texts.ts'
import type { TextSlot } from './text-slot.ts'
import { voices } from './voices.ts'
import { type View, walk } from './walk.ts'

/** The texts of a question (Gemini), or of one whose tokens are to be counted. Names may be written in both ways. */
export const generateContentRequestTexts = (body: JsonObject): readonly TextSlot[] => walk(body, asked)

/** The texts of a whole answer: those of all candidates, and what they are grounded on. */
export const generateContentReplyTexts = (body: JsonObject): readonly TextSlot[] => walk(body, answered)

const asked: View = { voice: voices.user }

const answered: View = { voice: voices.assistant, modes: errorModes }
