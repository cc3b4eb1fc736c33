import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyPorts, startDaemon } from '../../support/daemon.ts'
import { callModel, completions, embeddings, messages, responses } from '../../support/llm/client-formats.ts'
import { jsonOf, startProvider } from '../../support/llm/recording-provider.ts'

test('OpenAI gets the configured moderation settings for every client format', async () => {
  await using provider = await startProvider()
  await using daemon = await startDaemon(`${anyPorts}
gateways:
  default: { address: 127.0.0.1, port: 0 }
routes:
  - policies:
      ai:
        routes:
          /v1/chat/completions: completions
          /v1/responses: responses
          /v1/messages: messages
          /v1/embeddings: embeddings
    backends:
      - ai:
          name: judged
          hostOverride: '${provider.host}'
          provider:
            openAI: { moderation: { policy: { input: { mode: block }, output: { mode: score } } } }
`)
  const moderation = {
    model: 'omni-moderation-latest',
    policy: { input: { mode: 'block' }, output: { mode: 'score' } },
  }
  for (const [format, expected] of [
    [completions, moderation],
    [responses, moderation],
    [messages, moderation],
    [embeddings, undefined],
  ] as const) {
    await callModel(daemon.url('default'), format, 'm')
    assert.deepEqual(jsonOf(provider.calls.at(-1)!).moderation, expected, format.name)
  }
})
