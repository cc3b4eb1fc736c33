import type { LlmProviderFormat, LlmProviderSettings } from '../../../model/llm/llm-backend.ts'
import type { Format } from '../format.ts'

/** The formats that a configuration says a provider understands, without the one that is no exchange of bodies. */
export const declaredFormats = ({ formats = [] }: LlmProviderSettings): readonly Format[] =>
  formats.map(({ type }) => type).filter((type) => type !== 'realtime')

/** What a configuration says of one of them. */
export const declaredFormat = (
  { formats = [] }: LlmProviderSettings,
  format: Format | 'realtime',
): LlmProviderFormat | undefined => formats.find(({ type }) => type === format)
