import type { LlmBackend, LlmMutation, LlmPolicy, LlmProvider } from '../model/llm/llm-backend.ts'
import type { BackendPolicies } from '../model/resources/policies.ts'
import { mergeLlmPolicies } from '../operators/llm/normalize/ai-policy.ts'
import { handedTo } from './merge-policies.ts'

/**
 * Language models with all that holds for each of them: what is usual for a provider, what policies say about the whole
 * backend, and what is said about the provider itself, of which the later wins.
 */
export const resolvedLlmBackend = (backend: LlmBackend, policies: BackendPolicies): LlmBackend => {
  const outer = handedTo('providers', policies)
  const changed = eachProvider(withLlmPolicy(backend, policies.ai), (provider) => {
    const { ai: _, ...own } = provider.policies
    return { ...provider, policies: { ...provider.usual, ...outer, ...own } }
  })
  return { ...changed, routes: ownRoutes(backend) ?? changed.routes }
}

/** What the only provider says about requests: nothing is nearer. */
const ownRoutes = ({ choice }: LlmBackend): LlmBackend['routes'] | undefined =>
  choice.by === 'groups' ? choice.groups[0]?.[0]?.policies.ai?.routes : undefined

/**
 * Language models with what a policy says about all of them. What is nearer wins: fields of bodies one by one, anything
 * else as a whole.
 */
const withLlmPolicy = (backend: LlmBackend, policy: LlmPolicy | undefined): LlmBackend => {
  if (!policy) return backend
  const changed = eachProvider(backend, (provider) => ({
    ...provider,
    mutation: mergeMutations(policy, provider.mutation),
    ...guarded(policy, provider, backend.choice),
  }))
  return { ...changed, routes: policy.routes ?? backend.routes }
}

const eachProvider = (backend: LlmBackend, change: (provider: LlmProvider) => LlmProvider): LlmBackend => {
  const { choice } = backend
  if (choice.by === 'groups')
    return { ...backend, choice: { ...choice, groups: choice.groups.map((group) => group.map(change)) } }
  const models = choice.models.map((model) => ({ ...model, provider: change(model.provider) }))
  return { ...backend, choice: { ...choice, models } }
}

/**
 * What is said about one of several providers takes the place of what the policy says. What is said about models in their
 * own section adds to it: there, guards of all models and guards of one add up as well.
 */
const guarded = (
  { promptGuard: outer }: LlmPolicy,
  { guards: inner }: LlmProvider,
  { by }: LlmBackend['choice'],
): Pick<LlmProvider, 'guards'> | undefined => {
  if (!outer || (inner && by === 'groups')) return undefined
  if (!inner) return { guards: outer }
  const request = [...outer.request, ...inner.request]
  return { guards: { ...inner, request, response: [...outer.response, ...inner.response] } }
}

const mergeMutations = (
  { routes: _, promptGuard: __, ...outer }: LlmPolicy,
  inner: LlmMutation,
): LlmMutation => ({
  ...inner,
  ...mergeLlmPolicies(outer, inner),
  modelAliases: inner.modelAliases.length > 0 ? inner.modelAliases : (outer.modelAliases ?? []),
})
