import type { LlmProviderKind } from '../../../model/llm/llm-backend.ts'
import { anthropic } from './anthropic.ts'
import { azure } from './azure.ts'
import { bedrock } from './bedrock.ts'
import { copilot } from './copilot.ts'
import { custom } from './custom.ts'
import { gemini } from './gemini.ts'
import { mock } from './mock.ts'
import { openai } from './openai.ts'
import type { Provider } from './provider.ts'
import { vertex } from './vertex.ts'

/** The providers by kind. */
export const providers: Readonly<Record<LlmProviderKind, Provider>> = {
  openai,
  anthropic,
  gemini,
  vertex,
  bedrock,
  azure,
  copilot,
  custom,
  mock,
}
