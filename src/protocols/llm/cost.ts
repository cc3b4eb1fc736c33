import type { LlmCost } from '../../model/llm/llm-attributes.ts'
import type { CatalogModel, ModelCatalog, ModelRates } from '../../model/resources/model-catalog.ts'
import type { Usage } from './usage.ts'

/** The outcome of a price lookup: found, found without a required rate, not found, no catalog. */
export type PriceStatus = 'exact' | 'unpriced' | 'missing' | 'noCatalog'

/** The model whose price applies. */
export interface Priced {
  /** The name in telemetry. */
  readonly provider: string | undefined
  readonly responseModel: string | undefined
  readonly requestModel: string | undefined
}

/** The cost of a call, as far as it is known. */
export interface LlmPrice {
  readonly status: PriceStatus
  /** An unknown part is absent, and then the total is too: unknown is not zero. */
  readonly cost?: LlmCost
  /** The rates for a prompt of this length. */
  readonly rates?: ModelRates
}

/**
 * Computes the cost of a call. The model of the response counts; if the catalog does not have it, the model of the
 * request. Reasoning and audio output without a rate of their own cost as much as other output; audio input, cache reads
 * and cache writes as much as other input.
 */
export const llmPrice = (catalog: ModelCatalog | undefined, priced: Priced, usage: Usage): LlmPrice => {
  if (!catalog) return noCatalog
  const model = modelIn(catalog, priced.provider, priced.responseModel, priced.requestModel)
  if (!model) return missing
  const rates = ratesFor(model, usage.inputTokens ?? 0)
  const charges = chargesOf(usage, rates)
  if (charges.some(({ tokens, rate }) => tokens !== 0 && rate === undefined))
    return { status: 'unpriced', rates, ...costOf(charges) }
  return { status: 'exact', rates, ...costOf(charges) }
}

/**
 * Whether the catalog has the rates of a model for prompts of any length, and for output if there is any. Without a name
 * there is no model.
 */
export const hasPrice = (
  catalog: ModelCatalog | undefined,
  provider: string,
  name: string | undefined,
  hasOutput: boolean,
): boolean => {
  const model = catalog && modelIn(catalog, provider, name)
  if (!model) return false
  const { rates, tiers } = model
  const always = tiers[0]?.contextOver === 0 ? [] : [rates]
  return [...always, ...tiers.map((tier) => ({ ...rates, ...tier.rates }))].every(
    ({ input, output }) => input !== undefined && (output !== undefined || !hasOutput),
  )
}

const noCatalog: LlmPrice = { status: 'noCatalog' }
const missing: LlmPrice = { status: 'missing' }

const modelIn = (
  { providers }: ModelCatalog,
  provider: string | undefined,
  ...names: readonly (string | undefined)[]
): CatalogModel | undefined => {
  if (provider === undefined || !Object.hasOwn(providers, provider)) return undefined
  const models = providers[provider]?.models ?? {}
  // Clients choose the names, which may be those of inherited properties.
  const known = names.find((name) => name !== undefined && Object.hasOwn(models, name))
  return known === undefined ? undefined : models[known]
}

const ratesFor = ({ rates, tiers }: CatalogModel, inputTokens: number): ModelRates => {
  const tier = tiers.findLast(({ contextOver }) => contextOver < inputTokens)
  return tier ? { ...rates, ...tier.rates } : rates
}

/** Tokens of one kind at one rate; undefined is unknown. */
interface Charge {
  readonly kind: Exclude<keyof LlmCost, 'total'>
  readonly tokens: number | undefined
  readonly rate: number | undefined
}

/** Counts each token once: those of caches, audio and reasoning are included in the input and the output. */
const chargesOf = (usage: Usage, rates: ModelRates): readonly Charge[] => {
  const { inputTokens, cachedInputTokens = 0, cacheCreationInputTokens = 0, reasoningTokens = 0 } = usage
  const output = outputTokensOf(usage)
  const uncached = less(inputTokens, cachedInputTokens + cacheCreationInputTokens)
  const inputAudio = Math.min(usage.inputAudioTokens ?? 0, uncached ?? Infinity)
  const reasoning = Math.min(reasoningTokens, output ?? Infinity)
  const outputAudio = Math.min(usage.outputAudioTokens ?? 0, less(output, reasoning) ?? Infinity)
  return [
    { kind: 'input', tokens: less(uncached, inputAudio), rate: rates.input },
    { kind: 'output', tokens: less(output, reasoning + outputAudio), rate: rates.output },
    { kind: 'cacheRead', tokens: cachedInputTokens, rate: rates.cacheRead ?? rates.input },
    { kind: 'cacheWrite', tokens: cacheCreationInputTokens, rate: rates.cacheWrite ?? rates.input },
    { kind: 'reasoning', tokens: reasoning, rate: rates.reasoning ?? rates.output },
    { kind: 'inputAudio', tokens: inputAudio, rate: rates.inputAudio ?? rates.input },
    { kind: 'outputAudio', tokens: outputAudio, rate: rates.outputAudio ?? rates.output },
  ]
}

/** Embeddings have no output tokens, and some providers omit the count. */
const outputTokensOf = ({ inputTokens, outputTokens, totalTokens }: Usage): number | undefined =>
  outputTokens ?? (inputTokens !== undefined && totalTokens === inputTokens ? 0 : undefined)

const less = (all: number | undefined, part: number): number | undefined =>
  all === undefined ? undefined : Math.max(0, all - part)

const costOf = (charges: readonly Charge[]): { cost?: LlmCost } => {
  const parts: [string, number][] = []
  let total: number | undefined = 0
  for (const { kind, tokens, rate } of charges) {
    const part =
      tokens === 0 || rate === 0
        ? 0
        : tokens === undefined || rate === undefined
          ? undefined
          : (tokens * rate) / 1e6
    if (part === undefined) total = undefined
    else {
      if (tokens !== 0 || kind === 'input' || kind === 'output') parts.push([kind, exact(part)])
      if (total !== undefined) total += part
    }
  }
  if (total !== undefined) parts.push(['total', exact(total)])
  return parts.length > 0 ? { cost: Object.fromEntries(parts) } : {}
}

/** Removes errors of binary fractions: 0.3, not 0.30000000000000004. */
const exact = (dollars: number): number => Number(dollars.toPrecision(12))
