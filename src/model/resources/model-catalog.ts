/** What language models cost, by provider as telemetry calls it, and by model. */
export interface ModelCatalog {
  readonly providers: Readonly<Record<string, CatalogProvider>>
}

/** The models of a provider. */
export interface CatalogProvider {
  readonly models: Readonly<Record<string, CatalogModel>>
}

/** A model, and what its tokens cost. */
export interface CatalogModel {
  readonly rates: ModelRates
  /** Other rates for long prompts; `contextOver` rises. */
  readonly tiers: readonly ModelTier[]
  /** What else is known of it, such as the formats that a provider serves it in. */
  readonly tags: readonly string[]
}

/** Rates for prompts of more than `contextOver` tokens. What it does not name costs what it costs otherwise. */
export interface ModelTier {
  readonly contextOver: number
  readonly rates: ModelRates
}

/** US dollars for a million tokens of each kind. Absent is unknown, which is not nothing. */
export interface ModelRates {
  readonly input?: number
  readonly output?: number
  readonly cacheRead?: number
  readonly cacheWrite?: number
  readonly reasoning?: number
  readonly inputAudio?: number
  readonly outputAudio?: number
}
