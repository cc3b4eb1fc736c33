import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { callModel, type ClientFormat, completions, messages } from '../../support/llm/client-formats.ts'
import { recordedGateway } from '../../support/llm/recorded-gateway.ts'
import { completion, conversed, jsonResponse, jsonOf } from '../../support/llm/recording-provider.ts'

const bedrock = recordedGateway(
  (host) => `llm:
  models:
    - name: claude
      provider: bedrock
      params: { model: anthropic.claude-sonnet-4-5, awsRegion: eu-west-1, hostOverride: "${host}" }
      auth: { key: k }
`,
  jsonResponse(conversed),
)

const openai = recordedGateway(
  (host) => `llm:
  models:
    - name: "*"
      provider: openAI
      params: { hostOverride: "${host}" }
      auth: { key: k }
`,
  jsonResponse(completion),
)

/** The request as the provider received it, and the dropped fields reported to the client. */
const sent = async (
  gateway: typeof bedrock,
  format: ClientFormat,
  model: string,
  fields: Record<string, unknown>,
) => {
  const { status, headers, text } = await callModel(gateway.origin, format, model, { fields })
  assert.equal(status, 200, text)
  const call = gateway.provider.calls.at(-1)
  assert.ok(call)
  return { body: jsonOf(call), dropped: String(headers['x-gateway-dropped'] ?? '') }
}

const tool = { name: 'f', input_schema: { type: 'object' } }

suite('a translated request', () => {
  test('includes the tools that Bedrock requires for a history with tool calls', async () => {
    const history = [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'c', name: 'f', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c', content: 'ok' }] },
    ]
    const { body, dropped } = await sent(bedrock, messages, 'claude', { messages: history })
    assert.match(JSON.stringify(body.toolConfig), /"name":"no_tool_available"/)
    assert.equal(dropped, '')
  })

  test('reports the temperature that Bedrock refuses with thinking', async () => {
    const fields = { thinking: { type: 'enabled', budget_tokens: 2000 }, max_tokens: 4000, temperature: 0.2 }
    const { body, dropped } = await sent(bedrock, messages, 'claude', fields)
    assert.deepEqual(body.inferenceConfig, { maxTokens: 4000 })
    assert.equal(dropped, 'temperature')
  })

  test('reports a system message that loses its position', async () => {
    const history = [
      { role: 'user', content: 'Hi' },
      { role: 'developer', content: 'Now in French.' },
    ]
    const { body, dropped } = await sent(bedrock, completions, 'claude', { messages: history })
    assert.deepEqual(body.system, [{ text: 'Now in French.' }])
    assert.equal(dropped, 'messages.system.position')
  })

  test('keeps the position of a system message if possible', async () => {
    const history = [
      { role: 'user', content: 'Hi' },
      { role: 'system', content: 'Now in French.' },
    ]
    const { body, dropped } = await sent(openai, messages, 'gpt-5.2', { messages: history })
    assert.deepEqual(body.messages, history)
    assert.equal(dropped, '')
  })

  test('drops reasoning with tools for GPT-5.4, and reports it', async () => {
    const fields = { tools: [tool], thinking: { type: 'enabled', budget_tokens: 2000 }, max_tokens: 4000 }
    const { body, dropped } = await sent(openai, messages, 'gpt-5.4', fields)
    assert.equal(body.reasoning_effort, 'none')
    assert.equal(dropped, 'thinking')
  })

  test('is not refused for a Markdown output format', async () => {
    const { body, dropped } = await sent(openai, messages, 'gpt-5.2', { output_format: 'markdown' })
    assert.equal('response_format' in body, false)
    assert.equal(dropped, 'output_format')
  })
})
