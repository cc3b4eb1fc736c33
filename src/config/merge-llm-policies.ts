import type { LlmBackend, LlmMutation, LlmPolicy, LlmProvider } from '../model/llm/llm-backend.ts'
import type { BackendPolicies } from '../model/resources/policies.ts'
import type { Backend } from '../model/resources/resources.ts'
import { mergeLlmPolicies } from '../operators/llm/normalize/ai-policy.ts'
import { handedTo, mergeBackendPolicies } from './merge-policies.ts'

/**
 * Language models with the effective policies of each provider: defaults of the provider type, then policies of the
 * whole backend, then those attached to the provider, then policies of the provider itself; later ones take precedence.
 */
export const resolvedLlmBackend = (
  given: LlmBackend,
  policies: BackendPolicies,
  sections: Backend['sectionPolicies'] = {},
): LlmBackend => {
  const backend = withSections(given, sections)
  const outer = handedTo('providers', policies)
  const changed = eachProvider(withLlmPolicy(backend, policies.ai), (provider) => {
    const { ai: _, ...own } = provider.policies
    return { ...provider, policies: { ...provider.usual, ...outer, ...own } }
  })
  return { ...changed, routes: ownRoutes(backend) ?? changed.routes }
}

/**
 * Language models with the policies that are attached to single providers. Those of control planes are named
 * `name/group` where providers of several groups have one name.
 */
const withSections = (
  backend: LlmBackend,
  sections: Readonly<Record<string, BackendPolicies>>,
): LlmBackend => {
  const isAlone = backend.choice.by === 'groups' && backend.choice.groups.flat().length === 1
  return eachProvider(backend, (provider) => {
    const attached =
      ownField(sections, provider.name) ?? ownField(sections, provider.name.replace(/\/\d+$/, ''))
    if (!attached) return provider
    const { ai, ...outer } = attached
    const { ai: own, ...inner } = provider.policies
    const routes = own?.routes ?? ai?.routes
    const guards = provider.guards ?? ai?.promptGuard
    return {
      ...provider,
      policies: { ...mergeBackendPolicies(outer, inner), ...(isAlone && routes && { ai: { routes } }) },
      ...(ai && { mutation: mergeMutations(ai, provider.mutation) }),
      ...(guards && { guards }),
    }
  })
}

const ownField = <Value>(fields: Readonly<Record<string, Value>>, name: string): Value | undefined =>
  Object.hasOwn(fields, name) ? fields[name] : undefined

/** Routes of a single provider take precedence over those of the backend. */
const ownRoutes = ({ choice }: LlmBackend): LlmBackend['routes'] | undefined =>
  choice.by === 'groups' ? choice.groups[0]?.[0]?.policies.ai?.routes : undefined

/**
 * Language models with a policy for all of them. The inner policy takes precedence: fields of bodies one by one,
 * anything else as a whole.
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
 * Guards of one of several providers replace those of the policy. Guards of models in their own section are added to
 * it, since there the guards of all models and those of one model add up too.
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
