import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import {
  BedrockRuntimeClient,
  ConverseCommand,
  ConverseStreamCommand,
  type ConverseStreamOutput,
} from '@aws-sdk/client-bedrock-runtime'
import { type Replay, startReplay } from '../../support/llm/replay.ts'

/** Providers get the gateway's signature, whatever the client signs with. */
suite('the Bedrock client converses', () => {
  let replay: Replay
  let client: BedrockRuntimeClient
  before(async () => {
    replay = await startReplay()
    client = new BedrockRuntimeClient({
      region: 'us-west-2',
      endpoint: replay.origin,
      credentials: { accessKeyId: 'MINE', secretAccessKey: 'anything' },
      maxAttempts: 1,
    })
  })
  after(async () => {
    client.destroy()
    await replay[Symbol.asyncDispose]()
  })

  const ask = {
    modelId: 'bedrock',
    messages: [{ role: 'user' as const, content: [{ text: 'How is the weather in Bern and in Rome?' }] }],
  }

  test('with Bedrock', async () => {
    const { output, stopReason, usage } = await client.send(new ConverseCommand(ask))
    assert.equal(stopReason, 'tool_use')
    assert.equal(usage?.cacheReadInputTokens, 1000)
    assert.deepEqual(
      output?.message?.content?.flatMap(({ toolUse }) => toolUse?.input ?? []),
      [{ city: 'Bern' }, { city: 'Rome' }],
    )
    assert.match(replay.server.calls.at(-1)?.headers.authorization ?? '', /Credential=AKIDEXAMPLE\//)
  })

  test('with Bedrock, streamed', async () => {
    const { stream } = await client.send(new ConverseStreamCommand(ask))
    const events: ConverseStreamOutput[] = []
    for await (const event of stream ?? []) events.push(event)
    const texts = events.map(({ contentBlockDelta }) => contentBlockDelta?.delta?.text ?? '')
    assert.equal(texts.join(''), 'Let me look.')
    const inputs = events.map(({ contentBlockDelta }) => contentBlockDelta?.delta?.toolUse?.input ?? '')
    assert.equal(inputs.join(''), '{"city":"Bern"}{"city":"Rome"}')
    assert.equal(events.at(-2)?.messageStop?.stopReason, 'tool_use')
    assert.equal(events.at(-1)?.metadata?.usage?.outputTokens, 60)
    await replay.daemon.printed(/converse-stream .*gen_ai\.usage\.output_tokens=60/)
  })
})
