import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import {
  BedrockRuntimeClient,
  InvokeModelCommand,
  InvokeModelWithResponseStreamCommand,
} from '@aws-sdk/client-bedrock-runtime'
import { encodeEvent } from '../../../src/protocols/aws-event-stream/event.ts'
import { anyPorts, type Daemon, startDaemon } from '../../support/daemon.ts'
import { message, type RecordingProvider, startProvider } from '../../support/llm/recording-provider.ts'

/** Per the documentation of `InvokeModel`: usage is in headers, and in the last chunk of a stream. */
const figures = {
  'x-amzn-bedrock-input-token-count': '7',
  'x-amzn-bedrock-output-token-count': '26',
  'x-amzn-bedrock-cache-read-input-token-count': '100',
}

const pieces = [
  {
    type: 'message_start',
    message: { ...message, content: [], usage: { input_tokens: 7, output_tokens: 1 } },
  },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello.' } },
  { type: 'content_block_stop', index: 0 },
  { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 26 } },
  {
    type: 'message_stop',
    'amazon-bedrock-invocationMetrics': {
      inputTokenCount: 7,
      outputTokenCount: 26,
      invocationLatency: 40,
      firstByteLatency: 11,
      cacheReadInputTokenCount: 100,
      cacheWriteInputTokenCount: 0,
    },
  },
]

const stream = Buffer.concat(
  pieces.map((piece) =>
    encodeEvent(
      'chunk',
      JSON.stringify({ bytes: Buffer.from(JSON.stringify(piece)).toString('base64'), p: 'ab' }),
    ),
  ),
)

suite('the Bedrock client invokes models', () => {
  let provider: RecordingProvider
  let daemon: Daemon
  let client: BedrockRuntimeClient
  before(async () => {
    provider = await startProvider(({ path }, res) => {
      if (path.endsWith('stream'))
        res.writeHead(200, { 'content-type': 'application/vnd.amazon.eventstream' }).end(stream)
      else res.writeHead(200, { 'content-type': 'application/json', ...figures }).end(JSON.stringify(message))
    })
    daemon = await startDaemon(`${anyPorts}
gateways:
  default: { address: 127.0.0.1, port: 0 }
routes:
  - policies: { ai: { routes: { /invoke: invoke, /invoke-with-response-stream: invoke } } }
    backends:
      - ai:
          name: bedrock
          hostOverride: '${provider.host}'
          provider: { bedrock: { region: eu-west-1, guardrailIdentifier: g, guardrailVersion: '2' } }
          policies:
            backendAuth: { aws: { accessKeyId: AKIDEXAMPLE, secretAccessKey: secret } }
`)
    client = new BedrockRuntimeClient({
      region: 'us-west-2',
      endpoint: daemon.url('default'),
      credentials: { accessKeyId: 'MINE', secretAccessKey: 'anything' },
      maxAttempts: 1,
    })
  })
  after(async () => {
    client.destroy()
    await daemon[Symbol.asyncDispose]()
    await provider[Symbol.asyncDispose]()
  })

  const body = JSON.stringify({
    anthropic_version: 'bedrock-2023-05-31',
    anthropic_beta: ['x'],
    max_tokens: 9,
    messages: [{ role: 'user', content: 'hi' }],
  })
  const ask = { modelId: 'anthropic.claude-x:0', contentType: 'application/json', body }
  test('and their usage is counted', async () => {
    const answer = await client.send(new InvokeModelCommand(ask))
    assert.deepEqual(JSON.parse(answer.body.transformToString()), message)
    const [line] = await daemon.printed(/\/invoke .*/)
    assert.match(line, /gen_ai\.request\.model=anthropic\.claude-x:0 /)
    assert.match(line, /gen_ai\.usage\.input_tokens=107 .*gen_ai\.usage\.output_tokens=26/)
    assert.equal(provider.calls.at(-1)?.bytes.toString(), body)
  })

  test('and their usage is counted, streamed', async () => {
    const answer = await client.send(new InvokeModelWithResponseStreamCommand(ask))
    const said: unknown[] = []
    for await (const { chunk } of answer.body ?? [])
      said.push(JSON.parse(Buffer.from(chunk?.bytes ?? []).toString()))
    assert.deepEqual(said, pieces)
    const [line] = await daemon.printed(/\/invoke-with-response-stream .*/)
    assert.match(line, /gen_ai\.usage\.input_tokens=107 .*gen_ai\.usage\.output_tokens=26/)
  })

  test('and the configured guards apply, whatever the request says', async () => {
    await client.send(new InvokeModelCommand({ ...ask, guardrailIdentifier: 'weak', guardrailVersion: '1' }))
    const { headers } = provider.calls.at(-1)!
    assert.equal(headers['x-amzn-bedrock-guardrailidentifier'], 'g')
    assert.equal(headers['x-amzn-bedrock-guardrailversion'], '2')
    assert.match(headers.authorization ?? '', /Credential=AKIDEXAMPLE\//)
  })
})
