import type { ModelCatalog } from './model-catalog.ts'

/** What holds for all language models. */
export interface LlmSettings {
  /** What they cost; absent if nobody said anything about that. */
  readonly modelCatalog?: ModelCatalog
  /** They are asked only if the catalog has their price. */
  readonly unknownPrice?: 'deny'
  /** Tokens of caches count as input only where their provider counts them so. The environment says so, and no file. */
  readonly cachesAsProvider?: true
  /** Betas of Anthropic's that clients may ask of Claude on Bedrock; absent: those that it is known to take. From the environment. */
  readonly bedrockBetas?: readonly string[]
}
