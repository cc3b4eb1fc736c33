import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { complete } from '../../support/llm/client-formats.ts'
import { recordedGateway } from '../../support/llm/recorded-gateway.ts'
import { jsonOf, streamResponse } from '../../support/llm/recording-provider.ts'

const configuration = (host: string) => `llm:
  models:
    - { name: model, provider: openAI, params: { hostOverride: "${host}", apiKey: k } }
    - { name: embedded, provider: { custom: { formats: [{ type: completions }] } }, params: { hostOverride: "${host}" } }
`

const chunk = (more: object) =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', model: 'm', ...more })}\n\n`
const usage = { prompt_tokens: 31, completion_tokens: 17, total_tokens: 48 }
const delta = (content: string, finish: string | null) => ({
  choices: [{ index: 0, delta: { content }, finish_reason: finish }],
})

const asked =
  chunk({ ...delta('a', null), usage: null }) +
  chunk({ ...delta('', 'stop'), usage: null }) +
  chunk({ choices: [], usage }) +
  'data: [DONE]\n\n'

suite('the usage of a stream', () => {
  const gateway = recordedGateway(configuration, streamResponse(asked))

  for (const model of ['model', 'embedded'])
    for (const options of [undefined, { include_usage: false }, { include_obfuscation: false }])
      test(`is requested from the provider and removed for the client: ${model}, ${JSON.stringify(options)}`, async () => {
        gateway.provider.calls.length = 0
        const { text } = await complete(gateway.origin, model, {
          fields: { stream: true, ...(options && { stream_options: options }) },
        })
        const [call] = gateway.provider.calls
        assert.ok(call)
        assert.deepEqual(jsonOf(call).stream_options, { ...options, include_usage: true })
        assert.ok(!text.includes('31'), text)
        assert.ok(!text.includes('"choices":[]'), text)
        assert.ok(text.endsWith('data: [DONE]\n\n'))
        assert.equal(text.split('\n\n').length, 4)
        await gateway.daemon.printed(
          new RegExp(`gen_ai\\.request\\.model=${model} .*input_tokens=31 .*output_tokens=17`),
        )
      })

  test('is forwarded to clients that request it', async () => {
    const { text } = await complete(gateway.origin, 'model', {
      fields: { stream: true, stream_options: { include_usage: true } },
    })
    assert.equal(text, asked)
  })

  test('is not requested for whole responses', async () => {
    gateway.provider.calls.length = 0
    await complete(gateway.origin, 'model')
    const [call] = gateway.provider.calls
    assert.ok(call)
    assert.equal(jsonOf(call).stream_options, undefined)
  })
})
