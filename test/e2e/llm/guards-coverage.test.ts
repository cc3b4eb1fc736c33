import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { llmStreamViolations } from '../../../src/testing/index.ts'
import { sendRequest } from '../../support/send-request.ts'
import { anyPorts, type Daemon, startDaemon } from '../../support/daemon.ts'
import {
  FORBIDDEN,
  type GuardServices,
  SECRET,
  startGuardServices,
} from '../../support/llm/guard-services.ts'
import { fill, locationsIn, richRequests } from '../../support/llm/rich-requests.ts'
import { jsonOf, type RecordingProvider, startProvider } from '../../support/llm/recording-provider.ts'
import { playTranscript, type Transcribed, transcribed } from '../../support/llm/play-transcript.ts'

const SAID = {
  thought: 'Two cities',
  text: 'me look',
  arguments: 'Bern',
} as const

const rejection = { body: 'no' }
const everywhere = ['systemPrompt', 'messages', 'toolInput', 'toolOutput']
const guardrails = (host: string): Readonly<Record<string, object>> => {
  const regex = (action: string, pattern: string) => ({ regex: { action, rules: [{ pattern }] }, rejection })
  const answers = Object.entries(SAID).flatMap(([what, pattern]) =>
    (['mask', 'reject'] as const).flatMap((action) =>
      (['Enabled', 'Buffer'] as const).map((streaming) => [
        `${action}-${what}-${streaming}`,
        { response: [regex(action, pattern)], streaming },
      ]),
    ),
  )
  return {
    mask: { request: [{ ...regex('mask', SECRET), scope: everywhere }] },
    reject: { request: [{ ...regex('reject', FORBIDDEN), scope: everywhere }] },
    hook: { request: [{ webhook: { target: { host } } }], response: [{ webhook: { target: { host } } }] },
    ...(Object.fromEntries(answers) as Record<string, object>),
  }
}

const configuration = (services: string, provider: string): string => {
  const at = `http://${provider}`
  const formats = ['completions', 'messages', 'responses', 'embeddings', 'rerank', 'anthropicTokenCount']
  const settings = (format: string) => {
    if (format === 'generateContent')
      return { provider: 'gemini', params: { baseUrl: `${at}/gemini`, apiKey: 'k' } }
    if (format === 'converse')
      return {
        provider: 'bedrock',
        params: { baseUrl: `${at}/bedrock`, awsRegion: 'eu-west-1' },
        auth: { aws: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret' } },
      }
    return {
      provider: { custom: { formats: formats.map((type) => ({ type })) } },
      params: { baseUrl: `${at}/v1` },
    }
  }
  const models = Object.keys(richRequests).flatMap((format) =>
    Object.entries(guardrails(services)).map(([name, its]) => ({
      name: modelFor(format, name),
      ...settings(format),
      guardrails: its,
    })),
  )
  return `${anyPorts}
gateways:
  default: { address: 127.0.0.1, port: 0 }
llm: ${JSON.stringify({ models })}
`
}

const modelFor = (format: string, guards: string) => `${format}-${guards}`

suite('guards inspect all content', { concurrency: false }, () => {
  let services: GuardServices
  let provider: RecordingProvider
  let daemon: Daemon
  before(async () => {
    services = await startGuardServices()
    provider = await startProvider(playTranscript)
    daemon = await startDaemon(configuration(services.host, provider.host))
  })
  after(async () => {
    await daemon[Symbol.asyncDispose]()
    await provider[Symbol.asyncDispose]()
    await services[Symbol.asyncDispose]()
  })

  const post = (path: string, body: object) => {
    provider.calls.length = 0
    services.asked.length = 0
    const headers = { 'content-type': 'application/json' }
    return sendRequest(daemon.url('default'), path, { method: 'POST', headers, body: JSON.stringify(body) })
  }

  for (const [format, { path, body, isPlaced = true }] of Object.entries(richRequests)) {
    const named = (model: string, of: object) => (isPlaced ? { ...of, model } : of)
    const places = locationsIn(body)

    test(`of a request (${format}): each field is found by itself, and no provider is called`, async () => {
      const model = modelFor(format, 'reject')
      for (const place of places) {
        const asked = fill(body, (name) => (name === place ? `It is a ${FORBIDDEN}.` : 'fine'))
        const { status, text } = await post(path(model), named(model, asked))
        assert.deepEqual([status, text, provider.calls.length], [403, 'no', 0], place)
      }
      const fine = await post(
        path(model),
        named(
          model,
          fill(body, () => 'fine'),
        ),
      )
      assert.equal(fine.status, 200, fine.text)
      assert.equal(provider.calls.length, 1)
    })

    test(`of a request (${format}): what is masked is masked in place, and all else is unchanged`, async () => {
      const model = modelFor(format, 'mask')
      const asked = fill(body, (name) => `${name} is ${SECRET}.`)
      const { status, text } = await post(path(model), named(model, asked))
      assert.equal(status, 200, text)
      const [call] = provider.calls
      assert.ok(call)
      const expected = named(
        model,
        fill(body, (name) => `${name} is <masked>.`),
      )
      assert.deepEqual(jsonOf(call), expected)
    })

    test(`of a request (${format}): webhooks get each text once, and once more with the text it is joined to`, async () => {
      const model = modelFor(format, 'hook')
      const asked = fill(body, (name) => `What ${name} says.`)
      const { status, text } = await post(path(model), named(model, asked))
      assert.equal(status, 200, text)
      const [first] = services.asked
      assert.equal(first?.path, '/request')
      const { messages } = (JSON.parse(first.body) as { body: { messages: { content: string }[] } }).body
      const said = messages.map(({ content }) =>
        [...content.matchAll(/What \w+ says\./g)].map(([some]) => some),
      )
      for (const place of places) {
        const shown = said.filter((some) => some.includes(`What ${place} says.`))
        assert.equal(shown.filter(({ length }) => length === 1).length, 1, `${place}: ${first.body}`)
        assert.ok(shown.length <= 2, `${place}: ${first.body}`)
      }
    })
  }

  for (const [format, path, body] of [
    ['messages', () => '/v1/messages/count_tokens', { messages: [] }],
    ['generateContent', (model: string) => `/v1beta/models/${model}:countTokens`, { contents: [] }],
  ] as const)
    test(`but not of requests that are only counted: ${path('a-model')}`, async () => {
      const model = modelFor(format, 'reject')
      const asked =
        format === 'generateContent'
          ? { ...body, contents: [{ parts: [{ text: FORBIDDEN }] }] }
          : { ...body, model, messages: [{ role: 'user', content: FORBIDDEN }] }
      const { status, text } = await post(path(model), asked)
      assert.equal(status, 200, text)
      assert.equal(provider.calls.length, 1)
    })

  for (const format of transcribed)
    for (const [what, pattern] of Object.entries(SAID) as [keyof typeof SAID, string][]) {
      // Chat Completions carry no reasoning.
      if (what === 'thought' && format === 'completions') continue
      // In arguments only the value; the ids of calls contain the name of the town too.
      const found = what === 'arguments' ? /"Bern/ : new RegExp(pattern)
      const streams = format === 'converse' ? [] : (['Enabled', 'Buffer'] as const)

      for (const streaming of [undefined, ...streams]) {
        const how = streaming === undefined ? 'whole' : `streamed, ${streaming}`
        const asking = (action: string) => {
          const model = modelFor(format, `${action}-${what}-${streaming ?? 'Buffer'}`)
          return post(...askIn(format, model, streaming !== undefined))
        }

        test(`of a response (${format}, ${how}): ${what}, to be masked`, async () => {
          const { status, text } = await asking('mask')
          assert.equal(status, 200, text)
          assert.doesNotMatch(allIn(text), found)
          assert.match(text, /<masked>/)
          assert.match(allIn(text), /Rome/)
          if (streaming !== undefined && format !== 'converse')
            assert.deepEqual(llmStreamViolations(format, text), [])
        })

        test(`of a response (${format}, ${how}): ${what}, to be rejected, and counted nevertheless`, async () => {
          const { status, text } = await asking('reject')
          assert.doesNotMatch(allIn(text), found)
          if (streaming === undefined) assert.deepEqual([status, text], [403, 'no'])
          else {
            assert.equal(status, 200)
            assert.match(text, /"message": ?"no"/)
            if (format !== 'converse') assert.deepEqual(llmStreamViolations(format, text), [])
          }
          const model = modelFor(format, `reject-${what}-${streaming ?? 'Buffer'}`)
          const [line] = await daemon.printed(new RegExp(`request\\.model=${model} .*\\n`))
          // An aborted stream has reported its usage only up to there.
          if (streaming !== 'Enabled') assert.match(line, /gen_ai\.usage\.output_tokens=60/)
          else if (format === 'messages') assert.match(line, /gen_ai\.usage\.input_tokens=1200/)
        })
      }
    }

  test('and are counted, with the tokens of rejected responses', async () => {
    const { text } = await sendRequest(daemon.url('stats'), '/metrics')
    for (const format of transcribed) {
      const samples = text
        .split('\n')
        .filter((line) => line.startsWith('agentgateway_gen_ai_client_token_usage_sum{'))
        .filter((line) => line.includes(`"${modelFor(format, 'reject-text-Buffer')}"`))
        .filter((line) => line.includes('gen_ai_token_type="output"'))
      const tokens = samples.map((line) => Number(line.slice(line.lastIndexOf(' '))))
      // Whole and as a stream.
      const asked = format === 'converse' ? 1 : 2
      assert.equal(
        tokens.reduce((sum, count) => sum + count, 0),
        asked * 60,
      )
    }
  })
})

const askIn = (format: Transcribed, model: string, stream: boolean): [path: string, body: object] => {
  const { path, body, isPlaced = true } = richRequests[format]
  const plain = fill(body, () => 'fine')
  if (!isPlaced) return [path(model, stream), plain]
  return [path(model, stream), { ...plain, model, ...(stream && { stream: true }) }]
}

/** A reply, followed by the joined content of its pieces. */
const allIn = (text: string): string => {
  const pieces = text.matchAll(
    /"(?:arguments|partial_json|delta|text|thinking|content)":("(?:\\.|[^"\\])*")/g,
  )
  return text + [...pieces].map(([, written = '']) => JSON.parse(written) as string).join('')
}
