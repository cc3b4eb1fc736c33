/** Prices of language models, by the provider's name in telemetry and by model. */
export interface ModelCatalog {
  readonly providers: Readonly<Record<string, CatalogProvider>>
}

/** The models of a provider. */
export interface CatalogProvider {
  readonly models: Readonly<Record<string, CatalogModel>>
}

/** A model and the prices of its tokens. */
export interface CatalogModel {
  readonly rates: ModelRates
  /** Rates for long prompts, in ascending order of `contextOver`. */
  readonly tiers: readonly ModelTier[]
  /** Further properties, such as the formats that a provider serves it in. */
  readonly tags: readonly string[]
}

/** Rates for prompts of more than `contextOver` tokens. Absent ones are those of the model. */
export interface ModelTier {
  readonly contextOver: number
  readonly rates: ModelRates
}

/** US dollars per million tokens of each kind. Absent means unknown, not zero. */
export interface ModelRates {
  readonly input?: number
  readonly output?: number
  readonly cacheRead?: number
  readonly cacheWrite?: number
  readonly reasoning?: number
  readonly inputAudio?: number
  readonly outputAudio?: number
}
