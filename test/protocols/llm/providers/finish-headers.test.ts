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

test('to Anthropic', async (t) => {
  const sent = (fields: Readonly<Record<string, string>>): object => finished('anthropic', 'messages', fields)

  await t.test('keys go where it looks for them', () => {
    assert.deepEqual(sent({ authorization: 'Bearer sk-ant-api03-k' }), {
      'x-api-key': 'sk-ant-api03-k',
      ...version,
    })
    assert.deepEqual(sent({ authorization: 'bearer  k ' }), { 'x-api-key': 'k', ...version })
  })

  await t.test('tokens of OAuth stay, with no key beside them', () => {
    const authorization = 'Bearer sk-ant-oat01-t'
    assert.deepEqual(sent({ authorization, 'x-api-key': 'k' }), { authorization, ...version })
  })

  await t.test('keys that are there already stay', () => {
    const fields = { authorization: 'Bearer t', 'x-api-key': 'k' }
    assert.deepEqual(sent(fields), { ...fields, ...version })
    assert.deepEqual(sent({ authorization: 'Basic x' }), { authorization: 'Basic x', ...version })
  })

  await t.test("the client's version stays", () => {
    assert.deepEqual(sent({ 'anthropic-version': '2024-01-01' }), { 'anthropic-version': '2024-01-01' })
  })

  await t.test('nothing tells of a browser', () => {
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

test('others that speak the format of Anthropic are told its version', () => {
  for (const kind of ['azure', 'copilot', 'custom'] as const) {
    const authorization = 'Bearer k'
    assert.deepEqual(finished(kind, 'messages', { authorization }), { authorization, ...version }, kind)
    assert.deepEqual(finished(kind, 'completions', { authorization }), { authorization }, kind)
  }
  assert.deepEqual(finished('vertex', 'messages', {}), {})
})

test('to Gemini', async (t) => {
  await t.test('keys go where it looks for them', () => {
    for (const format of ['generateContent', 'geminiCountTokens'] as const)
      assert.deepEqual(finished('gemini', format, { authorization: 'Bearer AIzaK' }), {
        'x-goog-api-key': 'AIzaK',
      })
  })

  await t.test('tokens stay', () => {
    const fields = { authorization: 'Bearer ya29.t' }
    assert.deepEqual(finished('gemini', 'generateContent', fields), fields)
  })

  await t.test('keys stay where it speaks the format of OpenAI', () => {
    const fields = { authorization: 'Bearer AIzaK' }
    assert.deepEqual(finished('gemini', 'completions', fields), fields)
  })
})
