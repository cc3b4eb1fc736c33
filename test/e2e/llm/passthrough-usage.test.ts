import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { sendRequest } from '../../support/send-request.ts'
import { anyPorts, type Daemon, startDaemon } from '../../support/daemon.ts'
import {
  jsonResponse,
  type RecordingProvider,
  startProvider,
  streamResponse,
} from '../../support/llm/recording-provider.ts'

/** As in the types `ImagesResponse` and `ImageGenCompletedEvent` of openai@7.55.0. */
const usage = {
  input_tokens: 50,
  output_tokens: 1056,
  total_tokens: 1106,
  input_tokens_details: { text_tokens: 40, image_tokens: 10 },
}
const stream = [
  'event: image_generation.partial_image\ndata: {"type":"image_generation.partial_image","b64_json":"AAAA"}\n\n',
  `event: image_generation.completed\ndata: ${JSON.stringify({ type: 'image_generation.completed', b64_json: 'AAAA', usage })}\n\n`,
].join('')

suite('usage of passthrough requests', () => {
  let provider: RecordingProvider
  let daemon: Daemon
  before(async () => {
    provider = await startProvider()
    daemon = await startDaemon(`${anyPorts}
gateways:
  default: { address: 127.0.0.1, port: 0 }
llm:
  models:
    - { name: unseen, provider: openAI, passthrough: opaque, params: { hostOverride: "${provider.host}" } }
    - { name: '*', provider: openAI, passthrough: detect, params: { hostOverride: "${provider.host}" } }
`)
  })
  after(async () => {
    await daemon[Symbol.asyncDispose]()
    await provider[Symbol.asyncDispose]()
  })

  const post = (path: string, body: object) =>
    sendRequest(daemon.url('default'), path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'accept-encoding': 'gzip' },
      body: JSON.stringify(body),
    })

  for (const [what, path, answer, counted] of [
    ['an image', '/v1/images/generations', jsonResponse({ created: 1, data: [], usage }), [50, 1056]],
    ['a streamed image', '/v1/images/edits', streamResponse(stream), [50, 1056]],
    [
      'a legacy completion',
      '/v1/completions',
      jsonResponse({
        model: 'served',
        choices: [],
        usage: { prompt_tokens: 7, completion_tokens: 2, total_tokens: 9 },
      }),
      [7, 2],
    ],
    [
      'a transcription',
      '/v1/audio/transcriptions',
      jsonResponse({
        text: 'Hi.',
        usage: { type: 'tokens', input_tokens: 14, output_tokens: 3, total_tokens: 17 },
      }),
      [14, 3],
    ],
  ] as const)
    test(`is counted for ${what}`, async () => {
      provider.answer = answer
      const body = {
        model: `for${path.replaceAll('/', '-')}`,
        prompt: 'A cat.',
        stream: answer.body === stream,
      }
      const told = await post(path, body)
      assert.equal(told.text, answer.body)
      assert.equal(provider.calls.at(-1)?.bytes.toString(), JSON.stringify(body))
      const [line] = await daemon.printed(new RegExp(`http\\.path=${path} .*`))
      assert.match(line, new RegExp(`gen_ai\\.request\\.model=${body.model} `))
      assert.match(
        line,
        new RegExp(`usage\\.input_tokens=${counted[0]} .*usage\\.output_tokens=${counted[1]} `),
      )
    })

  test('is not inspected in mode opaque', async () => {
    provider.answer = jsonResponse({ usage: { prompt_tokens: 7, completion_tokens: 2 } })
    await post('/v1/completions', { model: 'unseen', prompt: 'A cat.' })
    const [line] = await daemon.printed(/gen_ai\.request\.model=unseen .*/)
    assert.doesNotMatch(line, /usage/)
    assert.equal(provider.calls.at(-1)?.headers['accept-encoding'], 'gzip')
  })
})
