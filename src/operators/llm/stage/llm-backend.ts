import type {
  LlmBackend,
  LlmChoice,
  LlmModel,
  LlmProvider,
  LlmRouteType,
  VirtualModel,
} from '../../../model/llm/llm-backend.ts'
import type { ResourceLookup } from '../../../model/resources/resource-index.ts'
import type { Route } from '../../../model/resources/resources.ts'
import { allows } from '../../authorization/authorization.ts'
import type { Option, OptionGroups } from '../routing/provider-target.ts'
import { loadO200k, tokenCounter } from '../usage/count-tokens.ts'
import { classifyRequest } from '../request/classify-request.ts'
import { llm } from '../llm-backend.ts'
import { ModelRouter, type RoutedModel, type RoutedVirtualModel } from '../routing/model-router.ts'
import { recordCost } from '../usage/record-cost.ts'
import { headersCondition } from '../../route/match.ts'
import type { Operator } from '../../../pipeline/stage.ts'
import { routeTypes } from '../../../protocols/llm/route-type.ts'
import { ruleParts } from '../../authorization/stage.ts'
import { compileCandidate, type ReachProvider } from './provider-target.ts'
import type { CompileContext } from '../../../config/compile/compile-context.ts'

/** What compiling a backend of language models needs. */
export interface LlmParts {
  readonly key: string
  readonly backend: LlmBackend
}

/** Compiles a backend of language models. */
export const compileLlmBackend = (
  { key, backend }: LlmParts,
  context: CompileContext,
  reach: ReachProvider,
): Operator => {
  const { random, resources } = context
  const option = (provider: LlmProvider): Option => ({
    candidate: compileCandidate(key, provider, context, reach),
    model: undefined,
  })
  const { choice } = backend
  const { maxBufferBytes } = resources.frontend.http
  // Loading takes a while: better now than during requests. Counting reports a failure.
  if (providersOf(choice).some(({ tokenize }) => tokenize)) loadO200k().catch(() => undefined)
  return llm({
    labels: { name: key, type: 'ai', protocol: 'llm' },
    typeOf: typesOf(backend.routes),
    choice:
      choice.by === 'groups'
        ? (choice.groups.map((group) => group.map(option)) satisfies OptionGroups)
        : new ModelRouter(
            choice.models.map((model) => routed(model, option(model.provider), context)),
            choice.virtualModels.map((virtual) => routedVirtual(virtual, context)),
          ),
    requestLimitBytes: maxBufferBytes,
    replyLimits: {
      replyBytes: Math.max(maxBufferBytes, REPLY_BYTES),
      eventBytes: Math.max(maxBufferBytes, REPLY_BYTES),
    },
    onAttemptEnd: recordCost,
    countTokens: tokenCounter(loadO200k),
    reads: context.llmReads,
    createdS: Math.floor(performance.timeOrigin / 1000),
    random,
  })
}

/**
 * Compiles the stage that classifies requests to language models by path, for a route with no other backends; undefined
 * for other routes.
 */
export const classifyLlmRequests = (
  { backends, policies }: Route,
  resources: ResourceLookup,
): Operator | undefined => {
  const found = backends.map(({ target }) =>
    target.kind === 'backend' ? resources.backend(target.key)?.spec : undefined,
  )
  const [first] = found
  if (first?.type !== 'llm' || !found.every((spec) => spec?.type === 'llm')) return undefined
  return classifyRequest(typesOf(policies.ai?.routes ?? first.routes))
}

const providersOf = (choice: LlmChoice): readonly LlmProvider[] =>
  choice.by === 'groups' ? choice.groups.flat() : choice.models.map(({ provider }) => provider)

/** Paths that match no row are conversations, as without a table. */
const typesOf = (routes: LlmBackend['routes']): ((path: string) => LlmRouteType) => {
  const typeOf = routeTypes(routes)
  return (path) => typeOf(path) ?? 'completions'
}

/** Responses with images are longer than most. */
const REPLY_BYTES = 16 * 1024 * 1024

const routed = (
  { name, visibility, matches, authorization }: LlmModel,
  option: Option,
  { expression }: CompileContext,
): RoutedModel => {
  const conditions = matches.map(headersCondition)
  const rules = (authorization?.rules ?? [])
    .map(ruleParts)
    .map(([mode, text]) => ({ mode, text, expression: expression(text) }))
  return {
    name,
    isPublic: visibility === 'public',
    fits: (x) =>
      conditions.length === 0 || conditions.some((holds) => holds === undefined || holds(x.request)),
    mayUse: allows(rules),
    option,
  }
}

const routedVirtual = (
  { name, routing }: VirtualModel,
  { expression }: CompileContext,
): RoutedVirtualModel => {
  if ('weighted' in routing) return { name, routing }
  if ('conditional' in routing)
    return {
      name,
      routing: {
        conditional: routing.conditional.map(({ model, when }) => ({
          model,
          when: when === undefined ? undefined : expression(when),
        })),
      },
    }
  const priorities = [...new Set(routing.failover.map(({ priority }) => priority))].sort((a, b) => a - b)
  const groups = priorities.map((one) =>
    routing.failover.filter(({ priority }) => priority === one).map(({ model }) => model),
  )
  return { name, routing: { failover: groups } }
}
