import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LlmProviderKind, LlmProviderSettings } from '../../../../src/model/llm/llm-backend.ts'
import type { ProviderCall } from '../../../../src/protocols/llm/providers/provider.ts'
import { providers } from '../../../../src/protocols/llm/providers/providers.ts'
import { resolvedPathOf } from '../../../../src/protocols/llm/providers/target-path.ts'

interface Asked {
  readonly settings?: Partial<LlmProviderSettings>
  readonly streaming?: boolean
  readonly client?: string
  readonly query?: string
}

const target = (
  kind: LlmProviderKind,
  format: ProviderCall['format'] | undefined,
  model: string,
  { settings = {}, streaming = false, client = '/client', query = '' }: Asked = {},
): string => {
  const found = resolvedPathOf({
    provider: { kind, settings: { hostOverridden: false, ...settings } },
    service: providers[kind],
    call: format === undefined ? undefined : { format, model, streaming },
    clientPath: client,
    clientQuery: query,
  })
  return found.path + found.query
}

const google = '/v1/projects/p/locations/l/publishers/google/models'
const claude = '/v1/projects/p/locations/l/publishers/anthropic/models'
const vertexSettings = { region: 'l', project: 'p' }
const openAi = { resourceName: 'r', resourceType: 'openAI' as const }
const foundry = { resourceName: 'r', resourceType: 'foundry' as const }

/**
 * Provider, format, model, other options, and the path with the prefix `/pre`, written here as `<…>` around what it
 * replaces.
 */
const own: readonly (readonly [LlmProviderKind, ProviderCall['format'], string, Asked, string])[] = [
  ['openai', 'completions', 'm', {}, '</v1>/chat/completions'],
  ['openai', 'responses', 'm', {}, '</v1>/responses'],
  ['openai', 'embeddings', 'm', {}, '</v1>/embeddings'],
  ['openai', 'rerank', 'm', {}, '</v1>/rerank'],
  ['openai', 'realtime', 'm', {}, '</v1>/realtime'],
  ['anthropic', 'messages', 'm', {}, '</v1>/messages'],
  ['anthropic', 'anthropicTokenCount', 'm', {}, '</v1>/messages/count_tokens'],
  ['gemini', 'generateContent', 'm', {}, '<>/v1beta/models/m:generateContent'],
  ['gemini', 'generateContent', 'm', { streaming: true }, '<>/v1beta/models/m:streamGenerateContent?alt=sse'],
  ['gemini', 'geminiCountTokens', 'models/m', {}, '<>/v1beta/models/m:countTokens'],
  ['gemini', 'generateContent', 'tunedModels/m', {}, '<>/v1beta/tunedModels/m:generateContent'],
  ['gemini', 'generateContent', 'm/../x', {}, '<>/v1beta/models/m%2F..%2Fx:generateContent'],
  ['gemini', 'completions', 'm', { streaming: true }, '<>/v1beta/openai/chat/completions'],
  ['gemini', 'embeddings', 'm', {}, '<>/v1beta/openai/embeddings'],
  [
    'vertex',
    'messages',
    'claude-x-20241022',
    { settings: vertexSettings },
    `<>${claude}/claude-x@20241022:rawPredict`,
  ],
  [
    'vertex',
    'messages',
    'anthropic/claude-x',
    { settings: vertexSettings, streaming: true },
    `<>${claude}/claude-x:streamRawPredict`,
  ],
  [
    'vertex',
    'anthropicTokenCount',
    'claude-x',
    { settings: vertexSettings },
    `<>${claude}/count-tokens:rawPredict`,
  ],
  [
    'vertex',
    'generateContent',
    'google/gemini-x',
    { settings: vertexSettings },
    `<>${google}/gemini-x:generateContent`,
  ],
  [
    'vertex',
    'generateContent',
    'gemini-x',
    { settings: vertexSettings, streaming: true },
    `<>${google}/gemini-x:streamGenerateContent?alt=sse`,
  ],
  [
    'vertex',
    'geminiCountTokens',
    'gemini-x',
    { settings: vertexSettings },
    `<>${google}/gemini-x:countTokens`,
  ],
  [
    'vertex',
    'embeddings',
    'text-embedding-005',
    { settings: vertexSettings },
    `<>${google}/text-embedding-005:predict`,
  ],
  [
    'vertex',
    'completions',
    'meta/llama',
    { settings: { project: 'p' } },
    '<>/v1/projects/p/locations/global/endpoints/openapi/chat/completions',
  ],
  [
    'vertex',
    'rerank',
    'semantic-ranker',
    { settings: { project: 'p', region: 'global' } },
    '<>/v1/projects/p/locations/global/rankingConfigs/default_ranking_config:rank',
  ],
  ['bedrock', 'converse', 'eu.anthropic.claude-x-v1:0', {}, '<>/model/eu.anthropic.claude-x-v1:0/converse'],
  ['bedrock', 'converse', 'm', { streaming: true }, '<>/model/m/converse-stream'],
  ['bedrock', 'converse', 'arn:aws:x/y%z', {}, '<>/model/arn:aws:x%2Fy%25z/converse'],
  ['bedrock', 'converse', '..', {}, '<>/model/%252E%252E/converse'],
  ['bedrock', 'embeddings', 'm', {}, '<>/model/m/invoke'],
  ['bedrock', 'rerank', 'm', {}, '<>/rerank'],
  ['bedrock', 'anthropicTokenCount', 'm', {}, '<>/model/m/count-tokens'],
  ['azure', 'completions', 'm', { settings: openAi }, '<>/openai/v1/chat/completions'],
  ['azure', 'rerank', 'm', { settings: openAi }, '<>/openai/v1/rerank'],
  ['azure', 'realtime', 'm', { settings: openAi }, '<>/openai/v1/realtime'],
  [
    'azure',
    'responses',
    'm',
    { settings: { ...openAi, apiVersion: 'preview' } },
    '<>/openai/v1/responses?api-version=preview',
  ],
  [
    'azure',
    'completions',
    'm',
    { settings: { ...openAi, apiVersion: '2024-10-21' } },
    '<>/openai/deployments/m/chat/completions?api-version=2024-10-21',
  ],
  [
    'azure',
    'responses',
    'm',
    { settings: { ...openAi, apiVersion: '2025-04-01-preview' } },
    '<>/openai/responses?api-version=2025-04-01-preview',
  ],
  [
    'azure',
    'realtime',
    'm',
    { settings: { ...openAi, apiVersion: '2024-10-21' } },
    '<>/openai/realtime?api-version=2024-10-21&deployment=m',
  ],
  ['azure', 'completions', 'm', { settings: foundry }, '<>/api/projects/r/openai/v1/chat/completions'],
  [
    'azure',
    'embeddings',
    'm',
    { settings: { ...foundry, project: 'j' } },
    '<>/api/projects/j/openai/v1/embeddings',
  ],
  ['azure', 'messages', 'claude-x', { settings: foundry }, '<>/anthropic/v1/messages'],
  [
    'azure',
    'anthropicTokenCount',
    'claude-x',
    { settings: foundry },
    '<>/anthropic/v1/messages/count_tokens',
  ],
  ['copilot', 'completions', 'm', {}, '<>/chat/completions'],
  ['copilot', 'messages', 'm', {}, '<>/v1/messages'],
  ['copilot', 'responses', 'm', {}, '<>/responses'],
  ['copilot', 'embeddings', 'm', {}, '<>/embeddings'],
  ['copilot', 'rerank', 'm', {}, '<>/rerank'],
  ['custom', 'completions', 'm', {}, '</v1>/chat/completions'],
  ['custom', 'messages', 'm', {}, '</v1>/messages'],
  ['custom', 'generateContent', 'm', { streaming: true }, '<>/v1beta/models/m:streamGenerateContent?alt=sse'],
  ['mock', 'completions', 'm', {}, '</v1>/chat/completions'],
  ['mock', 'generateContent', 'm', {}, '<>/v1beta/models/m:generateContent'],
]

test('the path of a provider, and a prefix in place of its base or before it', async (t) => {
  for (const [kind, format, model, asked, path] of own) {
    const plain = path.replace(/[<>]/g, '')
    await t.test(`${kind} ${format}: ${plain}`, () => {
      assert.equal(target(kind, format, model, asked), plain)
      const settings = { ...asked.settings, pathPrefix: '/pre', hostOverridden: true }
      assert.equal(target(kind, format, model, { ...asked, settings }), path.replace(/<.*>/, '/pre'))
    })
  }
})

test('configured format paths are complete', () => {
  const settings: Partial<LlmProviderSettings> = {
    hostOverridden: true,
    pathPrefix: '/v1/openai',
    formats: [{ type: 'completions' }, { type: 'messages', path: '/anthropic/v1/messages?beta=true' }],
  }
  assert.equal(target('custom', 'completions', 'm', { settings }), '/v1/openai/chat/completions')
  assert.equal(
    target('custom', 'messages', 'm', { settings, query: '?beta=no&x=1' }),
    '/anthropic/v1/messages?beta=true&x=1',
  )
})

test('another path replaces all others', () => {
  const settings = { pathOverride: '/mine?x=1', pathPrefix: '/pre', hostOverridden: true }
  assert.equal(target('openai', 'completions', 'm', { settings, query: '?y=2' }), '/mine?x=1')
  assert.equal(target('openai', undefined, 'm', { settings: { pathOverride: '/mine' } }), '/mine')
})

test('at another host', async (t) => {
  const settings = { hostOverridden: true }

  await t.test("the client's path and query are kept", () => {
    const client = '/deep/v1/chat/completions'
    const query = '?alt=x'
    assert.equal(target('openai', 'completions', 'm', { settings, client, query }), `${client}?alt=x`)
    assert.equal(target('openai', 'completions', 'm', { settings, client: '/any' }), '/any')
  })

  await t.test('the path has the selected model', () => {
    const asked = { settings, client: '/v1beta/models/alias:generateContent' }
    assert.equal(target('gemini', 'generateContent', 'real', asked), '/v1beta/models/real:generateContent')
  })

  await t.test('the path changes if the body is in another format', () => {
    const asked = { settings, client: '/v1/chat/completions' }
    assert.equal(target('anthropic', 'messages', 'm', asked), '/v1/messages')
    assert.equal(target('gemini', 'generateContent', 'm', asked), '/v1beta/models/m:generateContent')
  })

  await t.test('the path changes if the body has the model elsewhere', () => {
    const raw = '/v1/projects/p/locations/l/publishers/anthropic/models/claude-x:rawPredict'
    assert.equal(target('vertex', 'messages', 'claude-x', { settings, client: raw }), raw)
    assert.equal(target('anthropic', 'messages', 'claude-x', { settings, client: raw }), '/v1/messages')
    const at = { ...settings, ...vertexSettings }
    const client = '/v1/messages'
    assert.equal(target('vertex', 'messages', 'claude-x', { settings: at, client }), raw)
    assert.equal(
      target('vertex', 'anthropicTokenCount', 'claude-x', { settings: at, client: `${client}/count_tokens` }),
      `${claude}/count-tokens:rawPredict`,
    )
  })

  await t.test('the path changes if the body is translated', () => {
    const at = { ...settings, ...vertexSettings }
    assert.equal(target('bedrock', 'rerank', 'm', { settings, client: '/v1/rerank' }), '/rerank')
    assert.equal(
      target('bedrock', 'embeddings', 'm', { settings, client: '/v1/embeddings' }),
      '/model/m/invoke',
    )
    assert.equal(
      target('vertex', 'embeddings', 'm', { settings: at, client: '/v1/embeddings' }),
      `${google}/m:predict`,
    )
    assert.equal(
      target('vertex', 'rerank', 'm', { settings: at, client: '/v2/rerank' }),
      '/v1/projects/p/locations/l/rankingConfigs/default_ranking_config:rank',
    )
  })

  await t.test('configured formats have their own paths', () => {
    assert.equal(target('custom', 'completions', 'm', { settings, client: '/x' }), '/v1/chat/completions')
  })
})

test('an unchanged request keeps its path', async (t) => {
  const client = '/v1/files/a'

  await t.test('without a prefix', () => {
    assert.equal(target('openai', undefined, '', { client, query: '?a=b&alt=c' }), '/v1/files/a?a=b&alt=c')
  })

  await t.test('with a prefix in place of the base', () => {
    const settings = { pathPrefix: '/pre' }
    for (const kind of ['openai', 'anthropic', 'copilot', 'custom'] as const)
      assert.equal(target(kind, undefined, '', { client, settings }), '/pre/files/a', kind)
    assert.equal(target('openai', undefined, '', { client: '/v1', settings }), '/pre')
    assert.equal(target('openai', undefined, '', { client: '/v10/files', settings }), '/pre/v10/files')
  })

  await t.test('with a prefix in front if there is no base', () => {
    const settings = { pathPrefix: '/pre' }
    for (const kind of ['gemini', 'vertex', 'bedrock', 'azure'] as const)
      assert.equal(target(kind, undefined, '', { client, settings }), '/pre/v1/files/a', kind)
  })
})

test("the client's query is kept, except parameters of the provider's path", () => {
  assert.equal(
    target('gemini', 'generateContent', 'm', { streaming: true, query: '?alt=json&a=1&alt&b=%20' }),
    '/v1beta/models/m:streamGenerateContent?alt=sse&a=1&b=%20',
  )
  assert.equal(
    target('gemini', 'geminiCountTokens', 'm', { query: '?alt=sse' }),
    '/v1beta/models/m:countTokens',
  )
  const settings = { ...openAi, apiVersion: 'preview' }
  assert.equal(
    target('azure', 'responses', 'm', { settings, query: '?api-version=old&x=1' }),
    '/openai/v1/responses?api-version=preview&x=1',
  )
  assert.equal(target('openai', 'completions', 'm', { query: '?' }), '/v1/chat/completions')
})
