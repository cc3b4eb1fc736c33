import type { LlmMutation, LlmPromptCaching } from '../../../model/llm/llm-backend.ts'
import { defaults } from '../../../config/defaults.ts'
import type * as File from '../../../config/schema/file-types.gen.ts'
import { definedFields, given } from '../../../config/normalize/optional-fields.ts'

/** Nothing is changed. */
export const noMutation: LlmMutation = {
  overrides: {},
  transformation: {},
  defaults: {},
  modelAliases: [],
  finalTransformation: {},
}

/** The changes of a model to its requests. */
export function modelMutation(source: Partial<File.LlmModel>): LlmMutation {
  return definedFields<LlmMutation>({
    ...noMutation,
    ...(source.overrides && { overrides: source.overrides }),
    ...(source.transformation && { transformation: source.transformation }),
    ...(source.defaults && { defaults: source.defaults }),
    promptCaching: given(source.promptCaching, promptCaching),
    ...(source.finalTransformation && { finalTransformation: source.finalTransformation }),
  })
}

/** The positions of caching markers. */
export function promptCaching(source: File.LlmPromptCaching): LlmPromptCaching {
  return { ...defaults.llm.promptCaching, ...source }
}
