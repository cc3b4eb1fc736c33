import type { JsonObject } from '../../json/json-object.ts'
import { errorModes } from './error-texts.ts'
import type { TextSlot } from './text-slot.ts'
import { voices } from './voices.ts'
import { type View, walk } from './walk.ts'

/** The texts of a question (OpenAI Chat Completions). */
export const completionsRequestTexts = (body: JsonObject): readonly TextSlot[] => walk(body, asked)

/** The texts of a whole answer: those of all choices. */
export const completionsReplyTexts = (body: JsonObject): readonly TextSlot[] => walk(body, answered)

const asked: View = {
  voice: voices.user,
  modes: new Map([
    // How much to think, and whether to sum it up.
    ['reasoning', 'none'],
    ['audio', 'none'],
    ['web_search_options', 'none'],
  ]),
}

const answered: View = { voice: voices.assistant, modes: errorModes }
