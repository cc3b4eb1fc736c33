import type { LlmBackend, LlmModel, LlmProvider, LlmRoute } from '../../model/llm.ts'
import type { SimpleBackend } from '../../model/policies.ts'
import { dumpGuards } from './llm-guards.ts'
import { shown, shownFields, shownPolicies } from './value.ts'
import type { Hiding, Shown } from './value.ts'

/** Language models as dumps show them: a router by model, or groups of providers. */
export function dumpLlm(name: string, namespace: string, backend: LlmBackend, hiding: Hiding): Shown {
  const routes = Object.fromEntries(backend.routes.map(({ suffix, type }: LlmRoute) => [suffix, type]))
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
    headerMatches: matches.map((headers) => ({ headers: headers.map((one) => shownFields(one, hiding)) })),
    provider: dumpProvider(provider, hiding),
    policies: { llm: { routes }, authorization: shown(authorization ?? null, hiding) },
  }
}

/** Under the names of the file. */
function dumpProvider(source: LlmProvider, hiding: Hiding): Shown {
  const { name, kind, telemetryName, model, destination, settings, tokenize, mutation } = source
  const { passthrough, firstTokenTimeoutMs, guards, usual, policies } = source
  const { hostOverridden: _, pathOverride, pathPrefix, ...place } = settings
  return {
    name,
    provider: {
      [kind === 'openai' ? 'openAI' : kind]: {
        ...(model !== undefined && { model }),
        ...(kind === 'custom' && { providerOverride: telemetryName }),
        ...shownFields(place, hiding),
      },
    },
    hostOverride: destination === undefined ? null : hostOf(destination),
    pathOverride: pathOverride ?? null,
    pathPrefix: pathPrefix ?? null,
    tokenize,
    ...(passthrough && { passthrough }),
    ...shownFields({ firstTokenTimeoutMs }, hiding),
    ...changes(mutation, hiding),
    ...(guards && { guardrails: dumpGuards(guards, hiding) }),
    ...shownPolicies({ ...usual, ...policies }, hiding),
  }
}

/** What is changed about requests, without the kinds of change that there are none of. */
function changes(mutation: LlmProvider['mutation'], hiding: Hiding): Shown {
  const some = Object.entries(shownFields(mutation, hiding)).filter(
    ([, value]) => typeof value === 'object' && value !== null && Object.keys(value).length > 0,
  )
  return Object.fromEntries(some)
}

function hostOf(destination: SimpleBackend): string {
  if (destination.kind === 'backend') return destination.key
  if (destination.kind === 'service') return `${destination.name}:${String(destination.port)}`
  const { target } = destination
  if ('unix' in target) return `unix:${target.unix}`
  return `${target.host.includes(':') ? `[${target.host}]` : target.host}:${String(target.port)}`
}
