import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LlmProviderKind, LlmProviderSettings } from '../../../../src/model/llm/llm-backend.ts'
import { providers } from '../../../../src/protocols/llm/providers/providers.ts'

const gpt = ['responses', 'completions', 'embeddings', 'rerank']
const claude = ['messages', 'anthropicTokenCount']

const cases: readonly (readonly [
  LlmProviderKind,
  string,
  Partial<LlmProviderSettings>,
  readonly string[],
])[] = [
  ['openai', 'gpt-5', {}, gpt],
  ['anthropic', 'claude-x', {}, claude],
  ['gemini', 'gemini-x', {}, ['generateContent', 'completions', 'embeddings', 'geminiCountTokens']],
  ['vertex', 'claude-x', {}, claude],
  ['vertex', 'anthropic/claude-x', {}, claude],
  ['vertex', 'publishers/anthropic/models/x', {}, claude],
  ['vertex', 'gemini-x', {}, ['generateContent', 'completions', 'embeddings', 'rerank', 'geminiCountTokens']],
  [
    'vertex',
    'google/gemini-x',
    {},
    ['generateContent', 'completions', 'embeddings', 'rerank', 'geminiCountTokens'],
  ],
  ['vertex', 'gemini-embedding-001', {}, ['completions', 'embeddings', 'rerank']],
  ['vertex', 'meta/llama', {}, ['completions', 'embeddings', 'rerank']],
  ['bedrock', 'amazon.nova-pro-v1:0', {}, ['converse', 'embeddings', 'rerank']],
  ['bedrock', 'eu.anthropic.claude-x', {}, ['converse', 'embeddings', 'rerank', 'anthropicTokenCount']],
  ['azure', 'gpt-5', { resourceType: 'openAI' }, gpt],
  ['azure', 'claude-x', { resourceType: 'openAI' }, gpt],
  ['azure', 'gpt-5', { resourceType: 'foundry' }, gpt],
  ['azure', 'Claude-x', { resourceType: 'foundry' }, claude],
  ['azure', 'claude-x', { resourceType: 'aiServices' }, claude],
  ['copilot', 'claude-x', {}, ['messages', 'completions', 'embeddings', 'rerank']],
  ['copilot', 'grok-4', {}, ['responses', 'embeddings', 'rerank']],
  ['copilot', 'mai-1', {}, ['responses', 'embeddings', 'rerank']],
  ['copilot', 'gemini-x', {}, ['completions', 'embeddings', 'rerank']],
  ['copilot', 'gpt-3.5-turbo', {}, ['completions', 'embeddings', 'rerank']],
  ['copilot', 'gpt-4o', {}, ['completions', 'embeddings', 'rerank']],
  ['copilot', 'GPT-5.4', {}, ['completions', 'responses', 'embeddings', 'rerank']],
  ['copilot', 'gpt-5-mini', {}, ['completions', 'responses', 'embeddings', 'rerank']],
  ['copilot', 'gpt-5', {}, ['responses', 'embeddings', 'rerank']],
  ['copilot', 'other', {}, ['completions', 'embeddings', 'rerank']],
  ['custom', 'x', {}, []],
  ['custom', 'x', { formats: [{ type: 'messages', path: '/m' }, { type: 'realtime' }] }, ['messages']],
  ['mock', 'x', { formats: [{ type: 'messages' }] }, ['messages']],
  [
    'mock',
    'x',
    {},
    [
      'completions',
      'messages',
      'responses',
      'generateContent',
      'embeddings',
      'rerank',
      'anthropicTokenCount',
      'geminiCountTokens',
    ],
  ],
]

test('the formats of a provider are', async (t) => {
  for (const [kind, model, settings, formats] of cases)
    await t.test(`${kind}, ${model} ${JSON.stringify(settings)}: ${formats.join(', ')}`, () => {
      assert.deepEqual(providers[kind].formats(model, { hostOverridden: false, ...settings }), formats)
    })
})

test('the address of a provider is', async (t) => {
  const places: readonly (readonly [LlmProviderKind, Partial<LlmProviderSettings>, string | undefined])[] = [
    ['openai', {}, 'api.openai.com'],
    ['anthropic', {}, 'api.anthropic.com'],
    ['gemini', {}, 'generativelanguage.googleapis.com'],
    ['vertex', {}, 'aiplatform.googleapis.com'],
    ['vertex', { region: 'global' }, 'aiplatform.googleapis.com'],
    ['vertex', { region: 'eu' }, 'aiplatform.eu.rep.googleapis.com'],
    ['vertex', { region: 'us' }, 'aiplatform.us.rep.googleapis.com'],
    ['vertex', { region: 'us-east5' }, 'us-east5-aiplatform.googleapis.com'],
    ['bedrock', { region: 'eu-west-1' }, 'bedrock-runtime.eu-west-1.amazonaws.com'],
    ['azure', { resourceName: 'r', resourceType: 'openAI' }, 'r.openai.azure.com'],
    ['azure', { resourceName: 'r', resourceType: 'foundry' }, 'r.services.ai.azure.com'],
    ['azure', { resourceName: 'r', resourceType: 'aiServices' }, 'r.services.ai.azure.com'],
    ['copilot', {}, 'api.githubcopilot.com'],
    ['custom', {}, undefined],
    ['mock', {}, undefined],
  ]
  for (const [kind, settings, host] of places)
    await t.test(`${String(host)}: ${kind} ${JSON.stringify(settings)}`, () => {
      const address = providers[kind].address({ hostOverridden: false, ...settings }, 'completions')
      assert.deepEqual(address, host === undefined ? undefined : { host, port: 443, tls: true })
    })

  await t.test('another host for ranking', () => {
    const hostOf = (kind: LlmProviderKind): string | undefined =>
      providers[kind].address({ hostOverridden: false, region: 'r' }, 'rerank')?.host
    assert.equal(hostOf('vertex'), 'discoveryengine.googleapis.com')
    assert.equal(hostOf('bedrock'), 'bedrock-agent-runtime.r.amazonaws.com')
  })
})
