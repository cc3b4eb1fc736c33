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
 * The options whose model has a price, where the configuration denies unknown ones, and all of them elsewhere; a refusal if
 * none is left. What costs nothing may be asked of anybody, and what nobody can know the price of is asked of nobody.
 *
 * Comes before anything is set aside or sent: options that are left out have not failed, and who has failed is not
 * followed by a refusal that hides it.
 */
export const pricedOptions = (
  x: Exchange,
  heard: ClientRequest,
  groups: OptionGroups,
): OptionGroups | Reply => {
  if (!x.snapshot.resources.unknownPrice) return groups
  let refused: { readonly provider: string; readonly model: string | undefined; reply: Reply } | undefined
  const hasItsPrice = (option: Option): boolean => {
    const { provider } = option.candidate
    const model = modelFor(x, heard, option)
    const reply = refuseUnpriced(x, provider, heard, model)
    if (reply) refused ??= { provider: provider.telemetryName, model, reply }
    return !reply
  }
  const priced = groups.map((group) => group.filter(hasItsPrice)).filter((group) => group.length > 0)
  if (priced.length || !refused) return priced
  // The log names the one that was preferred.
  if (x.protocol.llm)
    Object.assign(x.protocol.llm, { provider: refused.provider, requestModel: refused.model })
  return refused.reply
}

/** Refuses to ask a model whose price is unknown, where the configuration denies that. */
export const refuseUnpriced = (
  x: Exchange,
  { telemetryName }: LlmProvider,
  { type, path }: Pick<ClientRequest, 'type' | 'path'>,
  model: string | undefined,
): Reply | undefined => {
  const { modelCatalog, unknownPrice } = x.snapshot.resources
  if (!unknownPrice || isFree.has(type)) return undefined
  const isKnowable =
    isFormat(type) || isToldLater.has(type) || (type === 'detect' && path.endsWith(COMPACTION))
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

/** The same for a body that was changed last, and may name another model since then. */
export const refuseRenamed = (
  x: Exchange,
  provider: LlmProvider,
  heard: Pick<ClientRequest, 'type' | 'path'>,
  members: Members,
): Reply | undefined => {
  if (!x.snapshot.resources.unknownPrice) return undefined
  const named = members.get('model')
  return typeof named === 'string' ? refuseUnpriced(x, provider, heard, named) : undefined
}

/** Which model the provider will be asked for; undefined if the request names none. */
const modelFor = (x: Exchange, heard: ClientRequest, option: Option): string | undefined => {
  const { type, body, facts } = heard
  const { mutate, provider } = option.candidate
  return mutate && body && isFormat(type)
    ? draftForProvider(x, { ...heard, body }, type, option).model
    : (option.model ?? provider.model ?? facts.model)
}

/** Counting, and lists. */
const isFree: ReadonlySet<LlmRouteType> = new Set(['anthropicTokenCount', 'geminiCountTokens', 'models'])

/** They pass unseen, but only to the model that they name, and what they used is told. */
const isToldLater: ReadonlySet<LlmRouteType> = new Set(['realtime', 'invoke'])

/** What passes here is a conversation, and pays for its tokens as others do. */
const COMPACTION = '/responses/compact'

const hasNoOutput: ReadonlySet<LlmRouteType> = new Set(['embeddings', 'rerank'])
