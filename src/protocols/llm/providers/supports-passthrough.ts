import type { LlmProvider, LlmRouteType } from '../../../model/llm.ts'
import { declaredFormat } from './declared-formats.ts'

/**
 * Whether a provider has a place for requests that pass unseen: conversations over WebSockets, and bodies in the formats
 * of Bedrock's models. Who may be behind another host is not known. Whatever else passes unseen is the provider's to judge.
 */
export const takesUnseen = (
  type: LlmRouteType,
  { kind, settings }: Pick<LlmProvider, 'kind' | 'settings'>,
): boolean => {
  if (type === 'realtime')
    return kind === 'openai' || kind === 'azure' || declaredFormat(settings, 'realtime') !== undefined
  if (type === 'invoke') return kind === 'bedrock' || settings.hostOverridden
  return true
}
