import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sendRequest } from '../../support/send-request.ts'
import { anyPorts, startDaemon } from '../../support/daemon.ts'
import { jsonResponse, startProvider } from '../../support/llm/recording-provider.ts'

test('a request type that cannot be translated is refused if the provider does not support it', async () => {
  await using provider = await startProvider(jsonResponse({}))
  await using daemon = await startDaemon(`${anyPorts}
gateways:
  default: { address: 127.0.0.1, port: 0 }
llm:
  models:
    - { name: mock, provider: { mock: { formats: [messages] } } }
    - { name: claude, provider: anthropic }
    - name: chats
      provider: { custom: { formats: [{ type: completions }] } }
      params: { baseUrl: 'http://${provider.host}/v1' }
    - name: speaks
      provider: { custom: { formats: [{ type: realtime }] } }
      params: { baseUrl: 'http://${provider.host}/v1' }
`)
  const origin = daemon.url('default')
  const realtime = (model: string) => sendRequest(origin, `/v1/realtime?model=${model}`)
  const invoke = (model: string) =>
    sendRequest(origin, `/model/${model}/invoke`, { method: 'POST', body: JSON.stringify({ prompt: 'hi' }) })
  const refusal = (type: string, name: string, formats: string) =>
    `failed to process LLM request: unsupported conversion: from ${type} to provider ${name} (supported: [${formats}])`
  const refused = await Promise.all([realtime('mock'), realtime('claude'), realtime('chats'), invoke('mock')])
  assert.deepEqual(
    refused.map(({ status, text }) => {
      const { error, message } = JSON.parse(text) as { error?: { message: string }; message?: string }
      return [status, error?.message ?? message]
    }),
    [
      [400, refusal('realtime', 'mock', 'messages')],
      [400, refusal('realtime', 'anthropic', 'messages, anthropicTokenCount')],
      [400, refusal('realtime', 'custom', 'completions')],
      [400, refusal('invoke', 'mock', 'messages')],
    ],
  )
  assert.equal(provider.calls.length, 0)
  // A custom host may support Bedrock paths.
  assert.equal((await invoke('chats')).status, 200)
  assert.equal((await realtime('speaks')).status, 200)
  assert.deepEqual(
    provider.calls.map(({ path }) => path),
    ['/v1/model/chats/invoke', '/v1/realtime?model=speaks'],
  )
})
