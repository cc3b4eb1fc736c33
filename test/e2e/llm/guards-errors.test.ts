import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { llmStreamViolations } from '../../../src/testing/index.ts'
import { sendRequest } from '../../support/send-request.ts'
import { anyPorts, type Daemon, startDaemon } from '../../support/daemon.ts'
import { chunk } from '../../support/llm/completions-stream.ts'
import { type GuardServices, MASKED, SECRET, startGuardServices } from '../../support/llm/guard-services.ts'
import { jsonResponse, type RecordingProvider, startProvider } from '../../support/llm/recording-provider.ts'
import { type Dialect, dialects, userMessage } from '../../support/llm/model-request.ts'

const regex = (action: string) => ({
  regex: { action, rules: [{ pattern: SECRET }] },
  rejection: { body: 'no' },
})

const guards = (services: string): Readonly<Record<string, object>> => {
  const webhook = { webhook: { target: { host: services } } }
  return {
    mask: { response: [regex('mask')], streaming: 'Enabled' },
    held: { response: [regex('mask')] },
    reject: { response: [regex('reject')], streaming: 'Enabled' },
    hook: { response: [webhook], streaming: 'Enabled' },
    asked: { request: [regex('mask')] },
  }
}

const configuration = (services: string, provider: string) => {
  const at = `http://${provider}`
  const custom = (...formats: string[]) => ({
    provider: { custom: { formats: formats.map((type) => ({ type })) } },
    params: { baseUrl: `${at}/v1` },
  })
  const kinds = {
    own: custom('completions', 'messages', 'responses'),
    translated: custom('completions'),
    gemini: { provider: 'gemini', params: { baseUrl: `${at}/gemini`, apiKey: 'k' } },
  }
  const models = Object.entries(kinds).flatMap(([kind, of]) =>
    Object.entries(guards(services)).map(([name, guardrails]) => ({
      name: `${kind}-${name}`,
      ...of,
      guardrails,
    })),
  )
  return `${anyPorts}
gateways: { default: { address: 127.0.0.1, port: 0 } }
llm: ${JSON.stringify({ models })}
`
}

const COMPLAINT = `The word ${SECRET} is not wanted.`

/** Errors in which providers repeat the request, and not only in the message. */
const complaints: Readonly<Record<Dialect, object>> = {
  completions: {
    error: {
      message: COMPLAINT,
      type: 'invalid_request_error',
      param: 'messages',
      code: null,
      innererror: { input: SECRET },
    },
  },
  messages: { type: 'error', error: { type: 'invalid_request_error', message: COMPLAINT }, request_id: 'r' },
  responses: { error: { message: COMPLAINT, type: 'invalid_request_error', param: null, code: 'bad' } },
  generateContent: {
    error: {
      code: 400,
      message: COMPLAINT,
      status: 'INVALID_ARGUMENT',
      details: [
        { '@type': 'x.BadRequest', fieldViolations: [{ field: 'contents', description: COMPLAINT }] },
      ],
    },
  },
}

/** A stream with some content and then an error. */
const brokenStreams: Readonly<Record<Dialect, string>> = {
  completions: `${chunk('Hello.')}data: ${JSON.stringify(complaints.completions)}\n\n`,
  messages: [
    {
      type: 'message_start',
      message: {
        id: 'm',
        type: 'message',
        role: 'assistant',
        model: 'm',
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { input_tokens: 1, output_tokens: 1 },
      },
    },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello.' } },
    complaints.messages,
  ]
    .map((data) => `event: ${'type' in data ? String(data.type) : ''}\ndata: ${JSON.stringify(data)}\n\n`)
    .join(''),
  responses: [
    {
      type: 'response.created',
      sequence_number: 0,
      response: { id: 'r', object: 'response', status: 'in_progress', output: [] },
    },
    { type: 'error', sequence_number: 1, code: 'bad', message: COMPLAINT, param: null },
  ]
    .map((data) => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`)
    .join(''),
  generateContent: [
    { candidates: [{ content: { role: 'model', parts: [{ text: 'Hello.' }] }, index: 0 }] },
    complaints.generateContent,
  ]
    .map((data) => `data: ${JSON.stringify(data)}\n\n`)
    .join(''),
}

suite('a provider error that repeats the prompt', { concurrency: false }, () => {
  let services: GuardServices
  let provider: RecordingProvider
  let daemon: Daemon
  before(async () => {
    services = await startGuardServices()
    provider = await startProvider()
    daemon = await startDaemon(configuration(services.host, provider.host))
  })
  after(async () => {
    await daemon[Symbol.asyncDispose]()
    await provider[Symbol.asyncDispose]()
    await services[Symbol.asyncDispose]()
  })

  const asking = (dialect: Dialect, model: string, stream: boolean) => {
    const { path, request: asked } = userMessage(dialect, model, 'hi', stream)
    return sendRequest(daemon.url('default'), path, asked)
  }

  for (const dialect of dialects) {
    const own = dialect === 'generateContent' ? 'gemini' : 'own'
    const complaint = JSON.stringify(complaints[dialect])

    test(`is masked in place, or rejected if configured (${dialect})`, async () => {
      const headers = { 'content-type': 'application/json', 'retry-after': '7' }
      provider.answer = { status: 429, headers, body: complaint }
      for (const stream of [false, true]) {
        for (const [model, masked] of [
          ['mask', '<masked>'],
          ['held', '<masked>'],
          ['hook', MASKED],
        ] as const) {
          const answer = await asking(dialect, `${own}-${model}`, stream)
          assert.deepEqual([answer.status, answer.headers['retry-after']], [429, '7'])
          assert.equal(answer.text, complaint.replaceAll(SECRET, masked))
        }
        const { status, text } = await asking(dialect, `${own}-reject`, stream)
        assert.deepEqual([status, text], [403, 'no'])
        // Request guards do not see responses.
        assert.equal((await asking(dialect, `${own}-asked`, stream)).text, complaint)
      }
    })

    test(`is masked in the format of the client (${dialect})`, async () => {
      provider.answer = jsonResponse(complaints.completions, 400)
      const { status, text } = await asking(dialect, 'translated-mask', false)
      assert.equal(status, 400)
      assert.match(text, /The word <masked> is not wanted\./)
      assert.doesNotMatch(text, new RegExp(SECRET))
      assert.deepEqual([(await asking(dialect, 'translated-reject', false)).text], ['no'])
    })

    for (const from of ['own', 'translated'] as const)
      test(`is masked at the end of a stream (${dialect}, ${from})`, async () => {
        const said = brokenStreams[from === 'own' ? dialect : 'completions']
        provider.answer = { status: 200, headers: { 'content-type': 'text/event-stream' }, body: said }
        const kind = from === 'own' ? own : 'translated'
        for (const [model, masked] of [
          ['mask', '<masked>'],
          ['held', '<masked>'],
          ['hook', MASKED],
        ] as const) {
          const { text } = await asking(dialect, `${kind}-${model}`, true)
          assert.ok(text.includes(`The word ${masked} is not wanted.`), text)
          assert.ok(!text.includes(SECRET), text)
          if (from === 'own') assert.equal(text, said.replaceAll(SECRET, masked))
          assert.deepEqual(llmStreamViolations(dialect, text), [])
        }
        const { text } = await asking(dialect, `${kind}-reject`, true)
        assert.match(text, /"message": ?"no"/)
        assert.ok(!text.includes('The word'), text)
        assert.deepEqual(llmStreamViolations(dialect, text), [])
        assert.ok((await asking(dialect, `${kind}-asked`, true)).text.includes(COMPLAINT))
      })
  }

  for (const dialect of dialects)
    test(`keeps its status and retry-after if a guard fails (${dialect})`, async () => {
      const own = dialect === 'generateContent' ? 'gemini' : 'own'
      const body = JSON.stringify(complaints[dialect])
      services.answer = () => ({ status: 500, body: '' })
      for (const [status, after] of [
        [400, undefined],
        [429, '17'],
        [503, '3'],
        [529, '30'],
      ] as const)
        for (const stream of [false, true]) {
          const headers = {
            'content-type': 'application/json',
            'x-said': SECRET,
            ...(after && { 'retry-after': after }),
          }
          provider.answer = { status, headers, body }
          const answer = await asking(dialect, `${own}-hook`, stream)
          assert.deepEqual([answer.status, answer.headers['retry-after']], [status, after])
          assert.equal(JSON.stringify(answer.headers).includes(SECRET), false)
          assert.match(answer.text, /failed to process LLM response: prompt guard failed/)
          assert.doesNotMatch(answer.text, new RegExp(SECRET))
          assert.ok('error' in (JSON.parse(answer.text) as object), answer.text)
        }
      services.answer = undefined
    })

  test('keeps its status if it has a duplicate field, which guards refuse to read', async () => {
    const body = '{"error":{"message":"hi","message":"secret-word","type":"x"}}'
    provider.answer = {
      status: 429,
      headers: { 'content-type': 'application/json', 'retry-after': '9' },
      body,
    }
    for (const model of ['own-mask', 'own-reject', 'own-hook']) {
      const answer = await asking('completions', model, false)
      assert.deepEqual([answer.status, answer.headers['retry-after']], [429, '9'])
      assert.doesNotMatch(answer.text, new RegExp(SECRET))
    }
  })

  test('is unlike a successful response, which is replaced with 503 if a guard fails', async () => {
    provider.answer = jsonResponse({ choices: [{ index: 0, message: { role: 'assistant', content: 'hi' } }] })
    services.answer = () => ({ status: 500, body: '' })
    const { status, text } = await asking('completions', 'own-hook', false)
    services.answer = undefined
    assert.equal(status, 503)
    assert.match(text, /failed to process LLM response: prompt guard failed/)
  })
})
