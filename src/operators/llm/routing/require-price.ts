import type { Exchange } from '../../../model/exchange/exchange.ts'
import type { LlmProvider, LlmRouteType } from '../../../model/llm/llm-backend.ts'
import type { Reply } from '../../../model/exchange/reply.ts'
import { hasPrice } from '../../../protocols/llm/cost.ts'
import { isFormat } from '../../../protocols/llm/format.ts'
import type { Members } from '../../../protocols/llm/members/members.ts'
import type { Option, OptionGroups } from './provider-target.ts'
import { draftForProvider } from '../provider-request/mutated-request.ts'
import type { ClientRequest } from '../request/client-request.ts'
import { refuseRequest } from '../refusals.ts'
import { traceUnpriced } from '../usage/trace-llm.ts'

/**
 * The targets whose model has a price, where the configuration denies unknown prices, and all of them elsewhere; a
 * refusal if none is left. Free requests may go to any target, and requests whose price cannot be known to none.
 *
 * Comes before tokens are reserved and anything is sent: targets that are left out have not failed, and the error of a
 * failed target is not hidden by a refusal.
 */
export const pricedOptions = (
  x: Exchange,
  clientRequest: ClientRequest,
  groups: OptionGroups,
): OptionGroups | Reply => {
  if (!x.snapshot.resources.unknownPrice) return groups
  let refused: { readonly provider: string; readonly model: string | undefined; reply: Reply } | undefined
  const hasItsPrice = (option: Option): boolean => {
    const { provider } = option.candidate
    const model = modelFor(x, clientRequest, option)
    const reply = refuseUnpriced(x, provider, clientRequest, model)
    if (reply) refused ??= { provider: provider.telemetryName, model, reply }
    return !reply
  }
  const priced = groups.map((group) => group.filter(hasItsPrice)).filter((group) => group.length > 0)
  if (priced.length || !refused) return priced
  // The log names the preferred target.
  if (x.protocol.llm)
    Object.assign(x.protocol.llm, { provider: refused.provider, requestModel: refused.model })
  return refused.reply
}

/** Refuses a model whose price is unknown, where the configuration denies that. */
export const refuseUnpriced = (
  x: Exchange,
  { telemetryName }: LlmProvider,
  { type, path }: Pick<ClientRequest, 'type' | 'path'>,
  model: string | undefined,
): Reply | undefined => {
  const { modelCatalog, unknownPrice } = x.snapshot.resources
  if (!unknownPrice || isFree.has(type)) return undefined
  const isKnowable =
    isFormat(type) || hasLateModel.has(type) || (type === 'detect' && path.endsWith(COMPACTION))
  if (isKnowable && hasPrice(modelCatalog, telemetryName, model, !hasNoOutput.has(type))) return undefined
  traceUnpriced(x, telemetryName, model)
  return refuseRequest(
    403,
    'unknown_price',
    isKnowable
      ? 'the price of the model is unknown, and such models are not asked'
      : 'the price of such a request cannot be known, and such requests are not passed on',
  )
}

/** The same after the last change of the body, which may have changed the model. */
export const refuseRenamed = (
  x: Exchange,
  provider: LlmProvider,
  clientRequest: Pick<ClientRequest, 'type' | 'path'>,
  members: Members,
): Reply | undefined => {
  if (!x.snapshot.resources.unknownPrice) return undefined
  const named = members.get('model')
  return typeof named === 'string' ? refuseUnpriced(x, provider, clientRequest, named) : undefined
}

/** The model in the provider's request; undefined if the request names none. */
const modelFor = (x: Exchange, clientRequest: ClientRequest, option: Option): string | undefined => {
  const { type, body, attributes } = clientRequest
  const { mutate, provider } = option.candidate
  return mutate && body && isFormat(type)
    ? draftForProvider(x, { ...clientRequest, body }, type, option).model
    : (option.model ?? provider.model ?? attributes.model)
}

const isFree: ReadonlySet<LlmRouteType> = new Set(['anthropicTokenCount', 'geminiCountTokens', 'models'])

/** They pass unparsed, but only to the model that they name, and their responses report the usage. */
const hasLateModel: ReadonlySet<LlmRouteType> = new Set(['realtime', 'invoke'])

/** A compaction is a conversation, and its tokens are billed like others. */
const COMPACTION = '/responses/compact'

const hasNoOutput: ReadonlySet<LlmRouteType> = new Set(['embeddings', 'rerank'])
