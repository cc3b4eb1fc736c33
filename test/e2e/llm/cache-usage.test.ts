import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sendRequest } from '../../support/send-request.ts'
import { anyPorts, startDaemon } from '../../support/daemon.ts'
import { callModel, messages } from '../../support/llm/client-formats.ts'
import { jsonResponse, message, startProvider } from '../../support/llm/recording-provider.ts'

const configuration = (host: string) => `${anyPorts}
  modelCatalog:
    - inline: { providers: { anthropic: { models: { served: { rates: { input: '1', output: '1', cacheRead: '0.1' } } } } } }
frontendPolicies:
  accessLog: { add: { raw: llm.providerInputTokens, shown: llm.inputTokens, total: llm.totalTokens } }
gateways:
  default: { address: 127.0.0.1, port: 0 }
llm:
  policies:
    localRateLimit: [{ maxTokens: 1000, tokensPerFill: 1000, fillInterval: 1000s, type: tokens }]
  models:
    - { name: m, provider: anthropic, params: { hostOverride: "${host}", apiKey: sk } }
`

const usage = { input_tokens: 10, output_tokens: 5, cache_read_input_tokens: 100 }

/** What one call reports: in the log, in the input metric, and in the limit at the next call. */
const told = async (env: Readonly<Record<string, string>>) => {
  await using provider = await startProvider(jsonResponse({ ...message, usage }))
  await using daemon = await startDaemon(configuration(provider.host), { env })
  const call = () => callModel(daemon.url('default'), messages, 'm')
  const answer = await call()
  assert.deepEqual((JSON.parse(answer.text) as typeof message).usage, usage)
  const line = String(await daemon.printed(/^.*request\.model=m .*$/m))
  const { text } = await sendRequest(daemon.url('stats'), '/metrics')
  const input = /client_token_usage_sum\{(?=[^}]*gen_ai_token_type="input")[^}]*\} (\d+)/.exec(text)?.[1]
  const field = (name: string) => new RegExp(` ${name}=(\\S+)`).exec(line)?.[1]
  return {
    log: ['gen_ai\\.usage\\.input_tokens', 'shown', 'total', 'raw', 'agw\\.ai\\.usage\\.cost\\.total'].map(
      field,
    ),
    input,
    left: (await call()).headers['x-ratelimit-remaining'],
  }
}

test('cached tokens count as input for every provider', async () => {
  assert.deepEqual(await told({}), {
    log: ['110', '110', '115', '10', '0.000025'],
    input: '110',
    left: '885',
  })
})

test('cached tokens are separate from input with the legacy setting, at the same cost', async () => {
  assert.deepEqual(await told({ AGENTGATEWAY_LEGACY_LLM_USAGE_TOKEN_SEMANTICS: 'true' }), {
    log: ['10', '10', '15', '10', '0.000025'],
    input: '10',
    left: '985',
  })
})
