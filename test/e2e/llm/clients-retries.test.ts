import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import Anthropic from '@anthropic-ai/sdk'
import OpenAI, { RateLimitError } from 'openai'
import { anyPorts, type Daemon, startDaemon } from '../../support/daemon.ts'
import {
  completion,
  jsonResponse,
  message,
  type RecordingProvider,
  startProvider,
} from '../../support/llm/recording-provider.ts'

/** A provider that is overloaded at first, and clients that retry after the time it gives. */
suite('official clients', () => {
  let provider: RecordingProvider
  let daemon: Daemon
  before(async () => {
    provider = await startProvider()
    const model = (format: string) => ({
      name: format,
      provider: { custom: { formats: [{ type: format }] } },
      params: { baseUrl: `http://${provider.host}/v1` },
    })
    daemon = await startDaemon(`${anyPorts}
gateways:
  default: { address: 127.0.0.1, port: 0 }
llm: ${JSON.stringify({ models: [model('completions'), model('messages')] })}
`)
  })
  after(async () => {
    await daemon[Symbol.asyncDispose]()
    await provider[Symbol.asyncDispose]()
  })

  for (const [format, answer] of [
    ['completions', completion],
    ['messages', message],
  ] as const)
    for (const [name, ask] of [
      ['OpenAI', (retries: number) => chat(daemon.url('default'), format, retries)],
      ['Anthropic', (retries: number) => tell(daemon.url('default'), format, retries)],
    ] as const)
      test(`retry after the time that a provider of ${format} gives: ${name}`, async () => {
        const at: number[] = []
        provider.answer = (_, res) => {
          at.push(performance.now())
          const isFirst = at.length === 1
          res.writeHead(isFirst ? 429 : 200, {
            'content-type': 'application/json',
            ...(isFirst && { 'retry-after': '1' }),
          })
          res.end(
            JSON.stringify(isFirst ? { error: { type: 'rate_limit_error', message: 'Slow down.' } } : answer),
          )
        }
        assert.equal(await ask(1), 'Hello.')
        assert.equal(at.length, 2)
        // Without the header it would be half a second at most.
        const waitedMs = (at[1] ?? 0) - (at[0] ?? 0)
        assert.ok(waitedMs > 950, `${waitedMs} ms`)
      })

  test('do not retry more often than configured', async () => {
    const error = { message: 'Slow down.', type: 'requests', code: 'rate_limit_exceeded' }
    provider.answer = jsonResponse({ error }, 429)
    const before = provider.calls.length
    await assert.rejects(chat(daemon.url('default'), 'completions', 0), (refused) => {
      assert.ok(refused instanceof RateLimitError)
      assert.deepEqual([refused.code, refused.type], ['rate_limit_exceeded', 'requests'])
      return true
    })
    assert.equal(provider.calls.length, before + 1)
  })
})

const chat = async (origin: string, model: string, maxRetries: number) => {
  const client = new OpenAI({ baseURL: `${origin}/v1`, apiKey: 'anything', maxRetries })
  const { choices } = await client.chat.completions.create({
    model,
    messages: [{ role: 'user', content: 'Hi' }],
  })
  return choices[0]?.message.content
}

const tell = async (origin: string, model: string, maxRetries: number) => {
  const client = new Anthropic({ baseURL: origin, apiKey: 'anything', maxRetries })
  const { content } = await client.messages.create({
    model,
    max_tokens: 100,
    messages: [{ role: 'user', content: 'Hi' }],
  })
  return content.map((block) => (block.type === 'text' ? block.text : '')).join('')
}
