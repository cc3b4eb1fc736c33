import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Headers } from '../../../../src/model/exchange/headers.ts'
import type { LlmProviderKind } from '../../../../src/model/llm/llm-backend.ts'
import type { ProviderCall } from '../../../../src/protocols/llm/providers/provider.ts'
import { providers } from '../../../../src/protocols/llm/providers/providers.ts'

const finished = (
  kind: LlmProviderKind,
  format: ProviderCall['format'],
  fields: Readonly<Record<string, string>>,
): object => {
  const headers = Headers.of(fields)
  providers[kind].finishHeaders?.(headers, { format, model: 'm', streaming: false })
  return Object.fromEntries(headers.entries())
}

const version = { 'anthropic-version': '2023-06-01' }

test('headers for Anthropic', async (t) => {
  const sent = (fields: Readonly<Record<string, string>>): object => finished('anthropic', 'messages', fields)

  await t.test('have keys in its own header', () => {
    assert.deepEqual(sent({ authorization: 'Bearer sk-ant-api03-k' }), {
      'x-api-key': 'sk-ant-api03-k',
      ...version,
    })
    assert.deepEqual(sent({ authorization: 'bearer  k ' }), { 'x-api-key': 'k', ...version })
  })

  await t.test('have OAuth tokens, without a key', () => {
    const authorization = 'Bearer sk-ant-oat01-t'
    assert.deepEqual(sent({ authorization, 'x-api-key': 'k' }), { authorization, ...version })
  })

  await t.test('keep existing keys', () => {
    const fields = { authorization: 'Bearer t', 'x-api-key': 'k' }
    assert.deepEqual(sent(fields), { ...fields, ...version })
    assert.deepEqual(sent({ authorization: 'Basic x' }), { authorization: 'Basic x', ...version })
  })

  await t.test("keep the client's version", () => {
    assert.deepEqual(sent({ 'anthropic-version': '2024-01-01' }), { 'anthropic-version': '2024-01-01' })
  })

  await t.test('do not have the browser flag', () => {
    const browser = {
      origin: 'https://a.test',
      'sec-fetch-mode': 'cors',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'x',
      'sec-fetch-site': 'cross-site',
    }
    assert.deepEqual(sent({ ...browser, 'anthropic-beta': 'x' }), { 'anthropic-beta': 'x', ...version })
    assert.equal(Object.keys(finished('openai', 'completions', browser)).length, 5)
  })
})

test('other providers with the format of Anthropic get its version header', () => {
  for (const kind of ['azure', 'copilot', 'custom'] as const) {
    const authorization = 'Bearer k'
    assert.deepEqual(finished(kind, 'messages', { authorization }), { authorization, ...version }, kind)
    assert.deepEqual(finished(kind, 'completions', { authorization }), { authorization }, kind)
  }
  assert.deepEqual(finished('vertex', 'messages', {}), {})
})

test('headers for Gemini', async (t) => {
  await t.test('have keys in its own header', () => {
    for (const format of ['generateContent', 'geminiCountTokens'] as const)
      assert.deepEqual(finished('gemini', format, { authorization: 'Bearer AIzaK' }), {
        'x-goog-api-key': 'AIzaK',
      })
  })

  await t.test('keep tokens', () => {
    const fields = { authorization: 'Bearer ya29.t' }
    assert.deepEqual(finished('gemini', 'generateContent', fields), fields)
  })

  await t.test('keep keys in the format of OpenAI', () => {
    const fields = { authorization: 'Bearer AIzaK' }
    assert.deepEqual(finished('gemini', 'completions', fields), fields)
  })
})
