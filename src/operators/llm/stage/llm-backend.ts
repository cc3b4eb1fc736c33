import type {
  LlmBackend,
  LlmChoice,
  LlmModel,
  LlmProvider,
  VirtualModel,
} from '../../../model/llm/llm-backend.ts'
import { allows } from '../../authorization/authorization.ts'
import type { Option, OptionGroups } from '../routing/provider-target.ts'
import { loadO200k, tokenCounter } from '../usage/count-tokens.ts'
import { llm } from '../llm-backend.ts'
import { ModelRouter, type RoutedModel, type RoutedVirtualModel } from '../routing/model-router.ts'
import { recordCost } from '../usage/record-cost.ts'
import { headersCondition } from '../../route/match.ts'
import type { Operator } from '../../../pipeline/stage.ts'
import { ruleParts } from '../../authorization/stage.ts'
import { typesOf } from './classify-requests.ts'
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

const providersOf = (choice: LlmChoice): readonly LlmProvider[] =>
  choice.by === 'groups' ? choice.groups.flat() : choice.models.map(({ provider }) => provider)

/** Responses with images are longer than most. */
const REPLY_BYTES = 16 * 1024 * 1024

const routed = (
  { id, name, visibility, matches, authorization }: LlmModel,
  option: Option,
  { expression }: CompileContext,
): RoutedModel => {
  const conditions = matches.map(headersCondition)
  const rules = (authorization?.rules ?? [])
    .map(ruleParts)
    .map(([mode, text]) => ({ mode, text, expression: expression(text) }))
  return {
    id,
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
        conditional: routing.conditional.map(({ when, ...target }) => ({
          ...target,
          when: when === undefined ? undefined : expression(when),
        })),
      },
    }
  const priorities = [...new Set(routing.failover.map(({ priority }) => priority))].sort((a, b) => a - b)
  const groups = priorities.map((one) => routing.failover.filter(({ priority }) => priority === one))
  return { name, routing: { failover: groups } }
}
