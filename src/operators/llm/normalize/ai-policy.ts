import type { LlmPolicy } from '../../model/llm.ts'
import type * as File from '../file-types.gen.ts'
import { modelPattern } from '../format/model-pattern.ts'
import type { Context } from './context.ts'
import { defined, given } from './defined.ts'
import { llmGuards, noGuards } from './llm-guards.ts'
import { promptCaching } from './llm-mutation.ts'
import { llmRoutes } from './llm-routes.ts'

/** The policy `ai`: how requests to language models are understood, and what is changed about them. */
export function aiPolicy(source: File.AiPolicy, context: Context): LlmPolicy {
  return defined<LlmPolicy>({
    routes: given(source.routes, policyRoutes),
    defaults: source.defaults,
    overrides: source.overrides,
    transformation: source.transformations,
    finalTransformation: source.finalTransformations,
    modelAliases: given(source.modelAliases, aliases),
    prompts: given(source.prompts, ({ prepend, append }) => ({
      prepend: prepend ?? [],
      append: append ?? [],
    })),
    promptCaching: given(source.promptCaching, promptCaching),
    promptGuard: given(source.promptGuard, (guards) => llmGuards([guards], context) ?? noGuards),
  })
}

/** Paths that nothing is said about are those of conversations. */
function policyRoutes(types: NonNullable<File.AiPolicy['routes']>): LlmPolicy['routes'] {
  return llmRoutes({ '*': 'completions', ...types })
}

/** Names first, then the more exact patterns. Those that are no patterns have been warned about. */
function aliases(source: Readonly<Record<string, string>>): LlmPolicy['modelAliases'] {
  const exactness = (pattern: string): number => (pattern.includes('*') ? pattern.length : Infinity)
  return Object.entries(source)
    .filter(([pattern]) => modelPattern(pattern) === undefined)
    .sort(([a], [b]) => (exactness(a) === exactness(b) ? 0 : exactness(b) - exactness(a)))
}
