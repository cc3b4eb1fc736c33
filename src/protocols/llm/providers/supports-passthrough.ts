import type { LlmProvider, LlmRouteType } from '../../../model/llm/llm-backend.ts'
import { declaredFormat } from './declared-formats.ts'

/**
 * Whether a provider accepts uninspected requests of a type: conversations over WebSockets, and bodies in the formats
 * of Bedrock's models. For an overridden host, this is not known. All other pass-through is the provider's decision.
 */
export const supportsPassthrough = (
  type: LlmRouteType,
  { kind, settings }: Pick<LlmProvider, 'kind' | 'settings'>,
): boolean => {
  if (type === 'realtime')
    return kind === 'openai' || kind === 'azure' || declaredFormat(settings, 'realtime') !== undefined
  if (type === 'invoke') return kind === 'bedrock' || settings.hostOverridden
  return true
}
