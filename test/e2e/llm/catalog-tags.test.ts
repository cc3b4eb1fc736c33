import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyPorts, startDaemon } from '../../support/daemon.ts'
import { callModel, completions } from '../../support/llm/client-formats.ts'
import { startProvider } from '../../support/llm/recording-provider.ts'

test('a Copilot model is called in the format that the catalog has for it', async () => {
  await using provider = await startProvider()
  await using daemon = await startDaemon(`${anyPorts}
  modelCatalog:
    - inline: { providers: { copilot: { models: { gpt-tagged: { tags: [messages] } } } } }
gateways:
  default: { address: 127.0.0.1, port: 0 }
llm:
  models:
    - { name: '*', provider: copilot, auth: { key: k }, params: { baseUrl: 'http://${provider.host}' } }
`)
  for (const model of ['gpt-tagged', 'gpt-4o']) await callModel(daemon.url('default'), completions, model)
  assert.deepEqual(
    provider.calls.map(({ path }) => path),
    ['/v1/messages', '/chat/completions'],
  )
})
