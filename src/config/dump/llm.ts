import type { LlmBackend, LlmModel, LlmProvider, LlmRoute } from '../../model/llm.ts'
import { shown, shownFields, shownPolicies } from './value.ts'
import type { Hiding, Shown } from './value.ts'

/** Language models as dumps show them: a router by model, or groups of providers. */
export function dumpLlm(name: string, namespace: string, backend: LlmBackend, hiding: Hiding): Shown {
  const routes = dumpRoutes(backend.routes)
  const { choice } = backend
  if (choice.by === 'groups') {
    const providers = choice.groups.map((group) => ({
      active: Object.fromEntries(group.map((one) => [one.name, { endpoint: dumpProvider(one, hiding) }])),
    }))
    return { ai: { name, namespace, routes, target: { providers } } }
  }
  const target = {
    models: choice.models.map((model) => dumpModel(model, routes, hiding)),
    virtualModels: choice.virtualModels.map((model) => shownFields(model, hiding)),
  }
  return { llmRouter: { name, namespace, target } }
}

function dumpModel(model: LlmModel, routes: Shown, hiding: Hiding): Shown {
  const { id, name, visibility, matches, authorization, provider } = model
  return {
    id,
    name,
    visibility,
    headerMatches: shown(matches, hiding),
    provider: dumpProvider(provider, hiding),
    policies: { llm: { routes }, authorization: shown(authorization ?? null, hiding) },
  }
}

function dumpProvider(source: LlmProvider, hiding: Hiding): Shown {
  const { kind, usual, policies, settings, mutation, name, ...rest } = source
  return {
    name,
    provider: { [kind === 'openai' ? 'openAI' : kind]: shownFields(settings, hiding) },
    ...shownFields(rest, hiding),
    ...shownFields(mutation, hiding),
    ...shownPolicies({ ...usual, ...policies }, hiding),
  }
}

function dumpRoutes(routes: readonly LlmRoute[]): Shown {
  return Object.fromEntries(routes.map(({ suffix, type }) => [suffix, type]))
}
