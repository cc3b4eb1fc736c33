import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LlmProviderKind, LlmProviderSettings } from '../../../../src/model/llm/llm-backend.ts'
import { EditableObject } from '../../../../src/protocols/json/editable-object.ts'
import type { ProviderCall } from '../../../../src/protocols/llm/providers/provider.ts'
import { providers } from '../../../../src/protocols/llm/providers/providers.ts'

const finished = (
  kind: LlmProviderKind,
  format: ProviderCall['format'],
  model: string,
  text: string,
  settings: Partial<LlmProviderSettings> = {},
): string => {
  const body = EditableObject.of(Buffer.from(text))
  assert.ok(!('problem' in body))
  const call = { format, model, streaming: false }
  providers[kind].finishBody(body, call, { hostOverridden: false, ...settings })
  return body.toBuffer().toString()
}

test('the token limit has the name for models of OpenAI', async (t) => {
  for (const kind of ['openai', 'azure', 'copilot'] as const)
    for (const model of ['gpt-5', 'gpt-4o', 'o1', 'o3-mini', 'openai/gpt-5'])
      await t.test(`${kind}, ${model}`, () => {
        assert.equal(
          finished(kind, 'completions', model, '{"max_tokens": 5, "x":1}'),
          '{"max_completion_tokens": 5, "x":1}',
        )
      })

  await t.test('with the newer name preferred', () => {
    assert.equal(
      finished('openai', 'completions', 'gpt-5', '{"max_tokens":5,"max_completion_tokens":6}'),
      '{"max_completion_tokens":6}',
    )
  })

  await t.test('and of no others', () => {
    const text = '{"max_tokens": 5}'
    assert.equal(finished('openai', 'completions', 'llama', text), text)
    assert.equal(finished('openai', 'completions', 'olmo-2', text), text)
    assert.equal(finished('openai', 'responses', 'gpt-5', text), text)
    assert.equal(finished('copilot', 'messages', 'gpt-5', text), text)
    assert.equal(finished('custom', 'completions', 'gpt-5', text), text)
  })
})

test('a model in the path is not in the body', () => {
  const text = '{"model":"m","x":[1.0]}'
  for (const [kind, format, result] of [
    ['gemini', 'generateContent', '{"x":[1.0]}'],
    ['gemini', 'geminiCountTokens', '{"x":[1.0]}'],
    ['gemini', 'completions', text],
    ['gemini', 'embeddings', text],
    ['vertex', 'generateContent', '{"x":[1.0]}'],
    ['vertex', 'embeddings', '{"x":[1.0]}'],
    ['vertex', 'completions', text],
    ['vertex', 'rerank', text],
    ['bedrock', 'converse', '{"x":[1.0]}'],
    ['custom', 'generateContent', '{"x":[1.0]}'],
    ['custom', 'completions', text],
    ['openai', 'completions', text],
    ['anthropic', 'messages', text],
    ['mock', 'completions', text],
  ] as const)
    assert.equal(finished(kind, format, 'm', text), result, `${kind} ${format}`)
})

test('a token count request has the same model inside', () => {
  const inside = (model: string, asked: string): unknown =>
    JSON.parse(
      finished(
        'gemini',
        'geminiCountTokens',
        asked,
        JSON.stringify({ generateContentRequest: { model, contents: [] } }),
      ),
    )
  assert.deepEqual(inside('models/alias', 'real'), {
    generateContentRequest: { model: 'models/real', contents: [] },
  })
  assert.deepEqual(inside('models/real', 'real'), {
    generateContentRequest: { model: 'models/real', contents: [] },
  })
  assert.deepEqual(inside('models/alias', 'tunedModels/t'), {
    generateContentRequest: { model: 'tunedModels/t', contents: [] },
  })
  const odd = '{"generateContentRequest":[{"model":1}]}'
  assert.equal(finished('gemini', 'geminiCountTokens', 'm', odd), odd)
})

test('Vertex bodies for models of Anthropic', async (t) => {
  await t.test('have the version and not the model', () => {
    assert.equal(
      finished('vertex', 'messages', 'claude-x', '{"model":"claude-x","stream":true,"output_format":{}}'),
      '{"stream":true,"anthropic_version":"vertex-2023-10-16"}',
    )
  })

  await t.test("have Vertex's name of the model in token count requests", () => {
    assert.equal(
      finished('vertex', 'anthropicTokenCount', 'claude-x-20241022', '{"model":"a","messages":[]}'),
      '{"model":"claude-x@20241022","messages":[],"anthropic_version":"vertex-2023-10-16"}',
    )
  })

  await t.test('have no cache scopes, and are unchanged otherwise', () => {
    const text = (mark: string): string =>
      `{"system":[{"text":"a","cache_control":${mark}}], "messages":[ {"n":1e2} ],"tools":[{"cache_control":${mark}}],"cache_control":${mark},"anthropic_version":"vertex-2023-10-16"}`
    assert.equal(
      finished('vertex', 'messages', 'claude-x', text('{"type":"ephemeral","scope":"global"}')),
      text('{"type":"ephemeral"}'),
    )
    const plain = text('{"type": "ephemeral"}')
    assert.equal(finished('vertex', 'messages', 'claude-x', plain), plain)
  })

  await t.test('keep similar members', () => {
    const text =
      '{"messages":[{"scope":1,"cache_control":null},{"cache_control":["scope"]}],"anthropic_version":"vertex-2023-10-16"}'
    assert.equal(finished('vertex', 'messages', 'claude-x', text), text)
  })
})

test('the configured guardrail of Bedrock replaces that of the client', () => {
  const settings = { guardrail: { id: 'g', version: 'DRAFT' } }
  assert.equal(
    finished('bedrock', 'converse', 'm', '{}', settings),
    '{"guardrailConfig":{"guardrailIdentifier":"g","guardrailVersion":"DRAFT"}}',
  )
  assert.equal(
    finished(
      'bedrock',
      'converse',
      'm',
      '{"guardrailConfig":{"guardrailIdentifier":"weak","trace":"enabled"}}',
      settings,
    ),
    '{"guardrailConfig":{"guardrailIdentifier":"g","trace":"enabled","guardrailVersion":"DRAFT"}}',
  )
  const own = '{"guardrailConfig":{"guardrailIdentifier":"mine"}}'
  assert.equal(finished('bedrock', 'converse', 'm', own), own)
  assert.equal(finished('bedrock', 'embeddings', 'm', '{}', settings), '{}')
})

test('the configured moderation of OpenAI replaces that of the client', () => {
  const settings = { moderation: { model: 'judge', policy: { input: { mode: 'block' } } } } as const
  const told = '"moderation":{"model":"judge","policy":{"input":{"mode":"block"}}}'
  for (const format of ['completions', 'responses'] as const) {
    assert.equal(finished('openai', format, 'm', '{"x":1.0}', settings), `{"x":1.0,${told}}`)
    assert.equal(finished('openai', format, 'm', '{"moderation":null}', settings), `{${told}}`)
  }
  assert.equal(finished('openai', 'embeddings', 'm', '{"x":1.0}', settings), '{"x":1.0}')
  assert.equal(finished('openai', 'completions', 'm', '{"moderation":null}'), '{"moderation":null}')
})
