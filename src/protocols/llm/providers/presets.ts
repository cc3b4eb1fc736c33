import type { LlmProviderFormat } from '../../../model/llm/llm-backend.ts'

/** A named service with the formats of other providers. */
export interface LlmPreset {
  /** Its URL with the default path prefix. */
  readonly baseUrl: string
  /** In order of preference. */
  readonly formats: readonly LlmProviderFormat[]
}

const usual = (baseUrl: string, ...types: readonly LlmProviderFormat['type'][]): LlmPreset => ({
  baseUrl,
  formats: types.map((type) => ({ type })),
})

/** Services by name, which is also their name in telemetry. */
export const llmPresets: Readonly<Record<string, LlmPreset>> = {
  cohere: {
    baseUrl: 'https://api.cohere.ai',
    formats: [
      { type: 'completions', path: '/compatibility/v1/chat/completions' },
      { type: 'embeddings', path: '/compatibility/v1/embeddings' },
      { type: 'rerank', path: '/v2/rerank' },
    ],
  },
  ollama: usual('http://localhost:11434/v1', 'completions', 'responses', 'embeddings'),
  baseten: usual('https://inference.baseten.co/v1', 'completions', 'messages'),
  cerebras: usual('https://api.cerebras.ai/v1', 'completions'),
  deepinfra: {
    baseUrl: 'https://api.deepinfra.com/v1/openai',
    formats: [
      { type: 'completions' },
      { type: 'messages', path: '/anthropic/v1/messages' },
      { type: 'embeddings' },
    ],
  },
  deepseek: {
    baseUrl: 'https://api.deepseek.com/v1',
    formats: [
      { type: 'completions' },
      { type: 'messages', path: '/anthropic/v1/messages' },
      { type: 'responses' },
    ],
  },
  groq: usual('https://api.groq.com/openai/v1', 'completions', 'responses'),
  huggingface: usual('https://router.huggingface.co/v1', 'completions', 'responses'),
  mistral: usual('https://api.mistral.ai/v1', 'completions', 'embeddings'),
  openrouter: usual(
    'https://openrouter.ai/api/v1',
    'completions',
    'messages',
    'responses',
    'embeddings',
    'rerank',
  ),
  togetherai: usual('https://api.together.xyz/v1', 'completions', 'embeddings', 'rerank'),
  xai: usual('https://api.x.ai/v1', 'completions', 'responses', 'realtime'),
  fireworks: usual(
    'https://api.fireworks.ai/inference/v1',
    'completions',
    'messages',
    'responses',
    'embeddings',
    'rerank',
  ),
}
