import { type DumpedEndpoint, dumpGroup, dumpUse } from './endpoints.ts'
import { type Hiding, printed, type Printed, printedFields, printedPolicies } from './value.ts'
import type { LlmBackend, LlmModel, LlmProvider, LlmRoute } from '../../model/llm/llm-backend.ts'
import type { EndpointStatus } from '../../model/resources/endpoint-status.ts'
import type { ModelCatalog } from '../../model/resources/model-catalog.ts'
import type { SimpleBackend } from '../../model/resources/policies.ts'
import type {
  GuardRejection,
  LlmGuards,
  RequestGuardKind,
  TextScope,
} from '../../operators/llm/guardrails/schema/normal-form.ts'
import { hostPortOrUnixText } from '../../protocols/ip/host-port.ts'

/** Guards as dumps print them: each under the name of its kind, as in the file. */
export function dumpGuards({ request, response, streaming }: LlmGuards, hiding: Hiding): Printed {
  return {
    request: request.map((guard) => dumpGuard(guard, hiding)),
    response: response.map((guard) => dumpGuard(guard, hiding)),
    streaming: streaming.mode === 'Enabled' ? streaming : streaming.mode,
  }
}

interface AnyGuard {
  readonly kind: RequestGuardKind
  readonly rejection: GuardRejection
  readonly scopes?: ReadonlySet<TextScope>
}

function dumpGuard({ kind: { type, ...kind }, rejection, scopes }: AnyGuard, hiding: Hiding): Printed {
  return {
    [type]: printedFields(kind, hiding),
    rejection: printed(rejection, hiding),
    ...(scopes && { scope: [...scopes] }),
  }
}

/**
 * A model catalog as dumps print it: the number of models per provider, since the whole catalog can be long.
 */
export function dumpCatalog(catalog: ModelCatalog | undefined): Printed {
  const providers = Object.entries(catalog?.providers ?? {}).map(
    ([name, { models }]) => [name, { models: Object.keys(models).length }] as const,
  )
  return { providers: Object.fromEntries(providers) }
}

/**
 * Language models as dumps print them: a router by model, or groups of providers.
 *
 * @param statuses Of the providers.
 */
export function dumpLlm(
  name: string,
  namespace: string,
  backend: LlmBackend,
  hiding: Hiding,
  statuses: readonly EndpointStatus[] = [],
): Printed {
  const byName = new Map(statuses.map((status) => [status.endpoint, status]))
  const providerOf = (provider: LlmProvider, endpoint: Printed): DumpedEndpoint => ({
    name: provider.name,
    endpoint,
    ...dumpUse(byName.get(provider.name)),
  })
  const routes = Object.fromEntries(backend.routes.map(({ suffix, type }: LlmRoute) => [suffix, type]))
  const { choice } = backend
  if (choice.by === 'groups') {
    const providers = choice.groups.map((group) =>
      dumpGroup(group.map((one) => providerOf(one, dumpProvider(one, hiding)))),
    )
    return { ai: { name, namespace, routes, target: { providers } } }
  }
  const target = {
    models: choice.models.map((model) => dumpModel(model, routes, hiding)),
    virtualModels: choice.virtualModels.map((model) => printedFields(model, hiding)),
    providers: [
      dumpGroup(choice.models.map(({ provider }) => providerOf(provider, { name: provider.name }))),
    ],
  }
  return { llmRouter: { name, namespace, target } }
}

/**
 * A model of a router, as dumps print it.
 *
 * @param routes Request types by path suffix.
 */
export function dumpModel(model: LlmModel, routes: Printed, hiding: Hiding): Printed {
  const { id, name, visibility, matches, authorization, provider } = model
  return {
    id,
    name,
    visibility,
    headerMatches: matches.map((headers) => ({ headers: headers.map((one) => printedFields(one, hiding)) })),
    provider: dumpProvider(provider, hiding),
    policies: { llm: { routes }, authorization: printed(authorization ?? null, hiding) },
  }
}

/** A provider, with the names of the file. */
function dumpProvider(source: LlmProvider, hiding: Hiding): Printed {
  const { name, kind, telemetryName, model, destination, settings, tokenize, mutation } = source
  const { passthrough, firstTokenTimeoutMs, guards, usual, policies } = source
  const { hostOverridden: _, pathOverride, pathPrefix, ...rest } = settings
  return {
    name,
    provider: {
      [kind === 'openai' ? 'openAI' : kind]: {
        ...(model !== undefined && { model }),
        ...(kind === 'custom' && { providerOverride: telemetryName }),
        ...printedFields(rest, hiding),
      },
    },
    hostOverride: destination === undefined ? null : hostOf(destination),
    // A path may contain a credential.
    pathOverride: printed(pathOverride ?? null, hiding),
    pathPrefix: printed(pathPrefix ?? null, hiding),
    tokenize,
    ...(passthrough && { passthrough }),
    ...printedFields({ firstTokenTimeoutMs }, hiding),
    ...changes(mutation, hiding),
    ...(guards && { guardrails: dumpGuards(guards, hiding) }),
    ...printedPolicies({ ...usual, ...policies }, hiding),
  }
}

/** The changes to requests, without the kinds that are empty. */
function changes(mutation: LlmProvider['mutation'], hiding: Hiding): Printed {
  const some = Object.entries(printedFields(mutation, hiding)).filter(
    ([, value]) => typeof value === 'object' && value !== null && Object.keys(value).length > 0,
  )
  return Object.fromEntries(some)
}

function hostOf(destination: SimpleBackend): string {
  if (destination.kind === 'backend') return destination.key
  if (destination.kind === 'service') return `${destination.name}:${String(destination.port)}`
  return hostPortOrUnixText(destination.target)
}
