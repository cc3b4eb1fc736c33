import assert from 'node:assert/strict'
import { test } from 'node:test'
import { llmPresets } from '../../../../src/protocols/llm/providers/presets.ts'

const usual = (baseUrl: string, formats: string): readonly [string, string] => [baseUrl, formats]

/** By their documentation; a custom path is behind the format. */
const documented: Readonly<Record<string, readonly [string, string]>> = {
  cohere: usual(
    'https://api.cohere.ai',
    'completions /compatibility/v1/chat/completions, embeddings /compatibility/v1/embeddings, rerank /v2/rerank',
  ),
  ollama: usual('http://localhost:11434/v1', 'completions, responses, embeddings'),
  baseten: usual('https://inference.baseten.co/v1', 'completions, messages'),
  cerebras: usual('https://api.cerebras.ai/v1', 'completions'),
  deepinfra: usual(
    'https://api.deepinfra.com/v1/openai',
    'completions, messages /anthropic/v1/messages, embeddings',
  ),
  deepseek: usual('https://api.deepseek.com/v1', 'completions, messages /anthropic/v1/messages, responses'),
  groq: usual('https://api.groq.com/openai/v1', 'completions, responses'),
  huggingface: usual('https://router.huggingface.co/v1', 'completions, responses'),
  mistral: usual('https://api.mistral.ai/v1', 'completions, embeddings'),
  openrouter: usual('https://openrouter.ai/api/v1', 'completions, messages, responses, embeddings, rerank'),
  togetherai: usual('https://api.together.xyz/v1', 'completions, embeddings, rerank'),
  xai: usual('https://api.x.ai/v1', 'completions, responses, realtime'),
  fireworks: usual(
    'https://api.fireworks.ai/inference/v1',
    'completions, messages, responses, embeddings, rerank',
  ),
}

test('presets have the documented addresses and formats', () => {
  const known = Object.entries(llmPresets).map(([name, { baseUrl, formats }]) => [
    name,
    [baseUrl, formats.map(({ type, path }) => (path === undefined ? type : `${type} ${path}`)).join(', ')],
  ])
  assert.deepEqual(Object.fromEntries(known), documented)
})
