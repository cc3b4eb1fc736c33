import type { LlmPolicy, LlmRoute, LlmRouteType } from '../../../model/llm/llm-backend.ts'
import type * as File from '../../../config/schema/file-types.gen.ts'
import { modelPatternFormat } from '../../../config/format/model-pattern.ts'
import type { Context } from '../../../config/normalize/context.ts'
import { definedFields, given } from '../../../config/normalize/optional-fields.ts'
import { llmGuards, noGuards } from '../guardrails/normalize/guardrails.ts'
import { promptCaching } from './mutation.ts'

/** The policy `ai`: how requests to language models are parsed and changed. */
export function aiPolicy(source: File.AiPolicy, context: Context): LlmPolicy {
  return definedFields<LlmPolicy>({
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

/** Other paths have the type of conversations. */
function policyRoutes(types: NonNullable<File.AiPolicy['routes']>): LlmPolicy['routes'] {
  return llmRoutes({ '*': 'completions', ...types })
}

/** Names first, then the more exact patterns. Invalid patterns were warned about in validation. */
function aliases(source: Readonly<Record<string, string>>): LlmPolicy['modelAliases'] {
  const exactness = (pattern: string): number => (pattern.includes('*') ? pattern.length : Infinity)
  return Object.entries(source)
    .filter(([pattern]) => modelPatternFormat(pattern) === undefined)
    .sort(([a], [b]) => (exactness(a) === exactness(b) ? 0 : exactness(b) - exactness(a)))
}

/** Merges two levels of the policy: the inner one wins, for each field of a body separately. */
export const mergeLlmPolicies = (outer: LlmPolicy, inner: LlmPolicy): LlmPolicy => ({
  ...outer,
  ...inner,
  ...fields('overrides', outer, inner),
  ...fields('transformation', outer, inner),
  ...fields('defaults', outer, inner),
  ...fields('finalTransformation', outer, inner),
})

const fields = <K extends 'overrides' | 'transformation' | 'defaults' | 'finalTransformation'>(
  name: K,
  outer: LlmPolicy,
  inner: LlmPolicy,
): Pick<LlmPolicy, K> | undefined =>
  outer[name] && inner[name] && ({ [name]: { ...outer[name], ...inner[name] } } as Pick<LlmPolicy, K>)

/** Suffixes of paths in the order of matching: longer ones first, `*` last. */
export function llmRoutes(types: Readonly<Record<string, LlmRouteType>>): readonly LlmRoute[] {
  const rank = (suffix: string): number => (suffix === '*' ? -1 : suffix.length)
  return Object.entries(types)
    .map(([suffix, type]) => ({ suffix, type }))
    .sort((a, b) => rank(b.suffix) - rank(a.suffix))
}
