import type { LlmMutation, LlmPromptCaching } from '../../model/llm.ts'
import { defaults } from '../defaults.ts'
import type * as File from '../file-types.gen.ts'
import { defined, given } from './defined.ts'

/** What a model changes about requests. */
export function modelMutation(source: Partial<File.LlmModel>): LlmMutation {
  return defined<LlmMutation>({
    overrides: source.overrides ?? {},
    transformation: source.transformation ?? {},
    defaults: source.defaults ?? {},
    modelAliases: [],
    promptCaching: given(source.promptCaching, promptCaching),
    finalTransformation: source.finalTransformation ?? {},
  })
}

/** Where caching markers go. */
export function promptCaching(source: File.LlmPromptCaching): LlmPromptCaching {
  return { ...defaults.llm.promptCaching, ...source }
}
