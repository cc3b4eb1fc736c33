import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Format } from '../../../src/protocols/llm/format.ts'
import { translations, upstreamFormat } from '../../../src/protocols/llm/translations.ts'

test('upstreamFormat', async (t) => {
  const cases: [client: Format, provider: Format[], expected: Format | undefined][] = [
    ['responses', ['completions', 'responses'], 'responses'],
    ['responses', ['messages', 'completions'], 'completions'],
    ['responses', ['converse', 'messages'], 'messages'],
    ['responses', ['converse'], 'converse'],
    ['responses', ['generateContent'], undefined],
    ['completions', ['generateContent', 'completions'], 'generateContent'],
    ['completions', ['completions', 'generateContent'], 'completions'],
    ['completions', ['messages', 'generateContent'], 'generateContent'],
    ['completions', ['messages', 'completions'], 'completions'],
    ['completions', ['converse', 'messages'], 'messages'],
    ['completions', ['converse'], 'converse'],
    ['completions', ['responses'], undefined],
    ['messages', ['completions', 'responses', 'messages'], 'messages'],
    ['messages', ['responses', 'completions'], 'completions'],
    ['messages', ['converse', 'responses'], 'responses'],
    ['messages', ['converse'], 'converse'],
    ['messages', ['generateContent'], undefined],
    ['generateContent', ['completions', 'generateContent'], 'generateContent'],
    ['generateContent', ['responses', 'completions'], 'completions'],
    ['generateContent', ['messages', 'converse'], undefined],
    ['converse', ['converse'], 'converse'],
    ['converse', ['messages', 'completions', 'responses', 'generateContent'], undefined],
    ['embeddings', ['completions', 'embeddings'], 'embeddings'],
    ['embeddings', ['completions'], undefined],
    ['rerank', ['rerank'], 'rerank'],
    ['anthropicTokenCount', ['messages'], undefined],
    ['geminiCountTokens', ['geminiCountTokens'], 'geminiCountTokens'],
    ['messages', [], undefined],
  ]
  for (const [client, provider, expected] of cases)
    await t.test(
      `is ${expected ?? 'undefined'} for a client of ${client} and a provider of ${provider.join(', ') || 'nothing'}`,
      () => {
        assert.equal(upstreamFormat(client, provider), expected)
      },
    )

  await t.test('keeps every format if the provider has no others', () => {
    for (const format of Object.keys(translations) as Format[])
      assert.equal(upstreamFormat(format, [format]), format)
  })
})
