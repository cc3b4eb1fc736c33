import type {
  LlmBackend,
  LlmChoice,
  LlmModel,
  LlmProvider,
  LlmRouteType,
  VirtualModel,
} from '../../model/llm.ts'
import type { Resources, Route } from '../../model/resources.ts'
import { letsPass } from '../../operators/authorize.ts'
import type { Option, OptionGroups } from '../../operators/backend/llm/candidate.ts'
import { tokenCounter } from '../../operators/backend/llm/count-tokens.ts'
import { hearRequest } from '../../operators/backend/llm/hear-request.ts'
import { llm } from '../../operators/backend/llm/llm.ts'
import {
  ModelRouter,
  type RoutedModel,
  type RoutedVirtualModel,
} from '../../operators/backend/llm/model-router.ts'
import { charge } from '../../operators/backend/llm/charge.ts'
import { loadO200k } from '../../operators/backend/llm/o200k.ts'
import { headersCondition } from '../../operators/route/match.ts'
import type { Operator } from '../../pipeline/stage.ts'
import { routeTypes } from '../../protocols/llm/route-type.ts'
import { ruleParts } from './authorize-stage.ts'
import { compileCandidate, type ReachProvider } from './llm-candidate.ts'
import type { Workshop } from './workshop.ts'

/** What one backend of language models is, for compiling. */
export interface LlmParts {
  readonly key: string
  readonly backend: LlmBackend
}

/** Makes the place where language models are asked. */
export const compileLlmBackend = (
  { key, backend }: LlmParts,
  resources: Resources,
  workshop: Workshop,
  reach: ReachProvider,
): Operator => {
  const { random } = workshop
  const option = (provider: LlmProvider): Option => ({
    candidate: compileCandidate(key, provider, workshop, reach),
    model: undefined,
  })
  const { choice } = backend
  const { maxBufferBytes } = resources.frontend.http
  // It takes a while: better now than when requests are under way. Who counts is told if it fails.
  if (providersOf(choice).some(({ tokenize }) => tokenize)) loadO200k().catch(() => undefined)
  return llm({
    labels: { name: key, type: 'ai', protocol: 'llm' },
    typeOf: typesOf(backend.routes),
    choice:
      choice.by === 'groups'
        ? (choice.groups.map((group) => group.map(option)) satisfies OptionGroups)
        : new ModelRouter(
            choice.models.map((model) => routed(model, option(model.provider), workshop)),
            choice.virtualModels.map((virtual) => routedVirtual(virtual, workshop)),
            random,
          ),
    requestLimitBytes: maxBufferBytes,
    replyLimits: {
      replyBytes: Math.max(maxBufferBytes, REPLY_BYTES),
      eventBytes: Math.max(maxBufferBytes, REPLY_BYTES),
    },
    settle: charge,
    countTokens: tokenCounter(loadO200k),
    reads: workshop.llmReads,
    createdS: Math.floor(performance.timeOrigin / 1000),
    random,
  })
}

/**
 * Makes the stage that hears by its path what a request asks of language models, for a route that leads to nothing else;
 * undefined for any other.
 */
export const hearLlm = (
  { backends, policies }: Route,
  { backends: all }: Resources,
): Operator | undefined => {
  const found = backends.map(({ target }) =>
    target.kind === 'backend' ? all.find(({ key }) => key === target.key)?.spec : undefined,
  )
  const [first] = found
  if (first?.type !== 'llm' || !found.every((spec) => spec?.type === 'llm')) return undefined
  return hearRequest(typesOf(policies.ai?.routes ?? first.routes))
}

const providersOf = (choice: LlmChoice): readonly LlmProvider[] =>
  choice.by === 'groups' ? choice.groups.flat() : choice.models.map(({ provider }) => provider)

/** What no row of the table fits is a conversation as most write it, as it is without a table. */
const typesOf = (routes: LlmBackend['routes']): ((path: string) => LlmRouteType) => {
  const typeOf = routeTypes(routes)
  return (path) => typeOf(path) ?? 'completions'
}

/** Answers with pictures in them are longer than most. */
const REPLY_BYTES = 16 * 1024 * 1024

const routed = (
  { name, visibility, matches, authorization }: LlmModel,
  option: Option,
  { expression }: Workshop,
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
    mayUse: letsPass(rules),
    option,
  }
}

const routedVirtual = ({ name, routing }: VirtualModel, { expression }: Workshop): RoutedVirtualModel => {
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
