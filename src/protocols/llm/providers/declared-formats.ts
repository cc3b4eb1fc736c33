import type { LlmProviderFormat, LlmProviderSettings } from '../../../model/llm/llm-backend.ts'
import type { Format } from '../format.ts'

/** The configured formats of a provider, without `realtime`, which has no bodies. */
export const declaredFormats = ({ formats = [] }: LlmProviderSettings): readonly Format[] =>
  formats.map(({ type }) => type).filter((type) => type !== 'realtime')

/** The configuration of a format. */
export const declaredFormat = (
  { formats = [] }: LlmProviderSettings,
  format: Format | 'realtime',
): LlmProviderFormat | undefined => formats.find(({ type }) => type === format)
