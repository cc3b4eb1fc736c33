import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { sendRequest } from '../../support/send-request.ts'
import { anyPorts, type Daemon, startDaemon } from '../../support/daemon.ts'
import {
  FORBIDDEN,
  type GuardServices,
  SECRET,
  startGuardServices,
} from '../../support/llm/guard-services.ts'
import {
  completion,
  jsonResponse,
  jsonOf,
  message,
  type ProviderResponse,
  type RecordingProvider,
  response,
  startProvider,
  streamResponse,
} from '../../support/llm/recording-provider.ts'

const scope = ['systemPrompt', 'messages', 'toolOutput', 'toolInput']
const regex = (action: string, ...patterns: string[]) => ({
  regex: { action, rules: patterns.map((pattern) => ({ pattern })) },
  rejection: { body: 'no' },
})

const guards = (host: string): Readonly<Record<string, object>> => {
  const email = { regex: { action: 'mask', rules: [{ builtin: 'email' }] } }
  const webhook = { webhook: { target: { host } } }
  return {
    reject: {
      request: [{ ...regex('reject', FORBIDDEN, '\\bedge\\b'), scope }],
      response: [regex('reject', FORBIDDEN, '\\bedge\\b')],
    },
    mask: { request: [{ ...email, scope }], response: [email] },
    hook: { request: [webhook], response: [webhook] },
    windows: { response: [webhook], streaming: 'Enabled' },
    followed: { response: [email, regex('reject', FORBIDDEN, '\\bedge\\b')], streaming: 'Enabled' },
  }
}

const configuration = (services: string, provider: string) => {
  const formats = ['completions', 'messages', 'responses', 'embeddings', 'rerank']
  const models = Object.entries(guards(services)).flatMap(([name, guardrails]) => [
    {
      name,
      provider: { custom: { formats: formats.map((type) => ({ type })) } },
      params: { baseUrl: `http://${provider}/v1` },
      guardrails,
    },
    {
      name: `gemini-${name}`,
      provider: 'gemini',
      params: { baseUrl: `http://${provider}/gemini`, apiKey: 'k' },
      guardrails,
    },
  ])
  return `${anyPorts}
gateways: { default: { address: 127.0.0.1, port: 0 } }
llm: ${JSON.stringify({ models })}
`
}

type Talk = readonly (readonly [role: 'user' | 'assistant' | 'system', ...parts: string[]])[]

/** One conversation in each format. */
const formats = {
  completions: {
    path: () => '/v1/chat/completions',
    body: (talk: Talk) => ({
      messages: talk.map(([role, ...parts]) => ({
        role,
        content: parts.length === 1 ? parts[0] : parts.map((text) => ({ type: 'text', text })),
      })),
    }),
  },
  messages: {
    path: () => '/v1/messages',
    body: (talk: Talk) => ({
      max_tokens: 9,
      messages: talk
        .filter(([role]) => role !== 'system')
        .map(([role, ...parts]) => ({ role, content: parts.map((text) => ({ type: 'text', text })) })),
      // After the text that it is about.
      system: talk
        .filter(([role]) => role === 'system')
        .flatMap(([, ...parts]) => parts.map((text) => ({ type: 'text', text }))),
    }),
  },
  responses: {
    path: () => '/v1/responses',
    body: (talk: Talk) => ({
      input: talk.map(([role, ...parts]) => ({
        type: 'message',
        role,
        content: parts.map((text) => ({ type: role === 'assistant' ? 'output_text' : 'input_text', text })),
      })),
    }),
  },
  generateContent: {
    path: (model: string) => `/v1beta/models/gemini-${model}:generateContent`,
    body: (talk: Talk) => ({
      contents: talk
        .filter(([role]) => role !== 'system')
        .map(([role, ...parts]) => ({
          role: role === 'assistant' ? 'model' : 'user',
          parts: parts.map((text) => ({ text })),
        })),
      systemInstruction: {
        parts: talk
          .filter(([role]) => role === 'system')
          .flatMap(([, ...parts]) => parts.map((text) => ({ text }))),
      },
    }),
  },
} as const

type Name = keyof typeof formats
const names = Object.keys(formats) as Name[]

suite('content that is split between texts', { concurrency: false }, () => {
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

  const send = async (
    name: Name,
    model: string,
    body: object,
    answer: ProviderResponse = jsonResponse(completion),
  ) => {
    provider.calls.length = 0
    services.asked.length = 0
    provider.answer = answer
    const answered = await sendRequest(daemon.url('default'), formats[name].path(model), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(name === 'generateContent' ? body : { model, ...body }),
    })
    const [call] = provider.calls
    return { ...answered, sent: call && JSON.stringify(jsonOf(call)) }
  }

  const [one, two] = [FORBIDDEN.slice(0, 5), FORBIDDEN.slice(5)]
  const splits: Readonly<Record<string, Talk>> = {
    'parts of a message': [['user', `It is ${one}`, `${two} here`]],
    'three parts': [['user', FORBIDDEN.slice(0, 3), FORBIDDEN.slice(3, 8), FORBIDDEN.slice(8)]],
    'parts with an empty one': [['user', one, '', two]],
    'messages of one role': [
      ['user', `It is ${one}`],
      ['user', two],
    ],
    'messages of one role around one without text': [
      ['user', one],
      ['assistant', ''],
      ['user', two],
    ],
    'parts of a system prompt': [
      ['system', one, two],
      ['user', 'hi'],
    ],
    'parts of an earlier reply': [
      ['user', 'hi'],
      ['assistant', one, two],
      ['user', 'go on'],
    ],
    'no parts, but at the edge of one': [['user', 'an', 'edge', 'less']],
  }
  for (const name of names)
    for (const [where, talk] of Object.entries(splits)) {
      test(`is rejected in ${where} (${name})`, async () => {
        const { status, text, sent } = await send(name, 'reject', formats[name].body(talk))
        assert.deepEqual([status, text, sent], [403, 'no', undefined])
      })
      if (!where.includes('edge'))
        test(`reaches webhooks as one text in ${where} (${name})`, async () => {
          const { status, sent } = await send(name, 'hook', formats[name].body(talk))
          assert.deepEqual([status, sent], [403, undefined])
          assert.ok(services.asked.some(({ body }) => body.includes(FORBIDDEN)))
        })
    }

  for (const name of names) {
    test(`is not joined across roles (${name})`, async () => {
      const talk: Talk = [
        ['user', one],
        ['assistant', `no ${one}`],
        ['user', two],
      ]
      for (const model of ['reject', 'hook']) {
        const { sent } = await send(name, model, formats[name].body(talk))
        assert.ok(sent?.includes(two), sent)
      }
    })

    test(`is masked in place (${name})`, async () => {
      const talk: Talk = [
        ['user', 'write to c@d.org and a@', 'b.com', ', or not!'],
        ['user', 'x@', 'y.net'],
      ]
      const { sent } = await send(name, 'mask', formats[name].body(talk))
      assert.doesNotMatch(sent ?? '', /c@d|a@|b\.com|x@|y\.net/)
      assert.match(sent ?? '', /write to <EMAIL_ADDRESS> and <EMAIL_ADDRESS>/)
      assert.match(sent ?? '', /, or not!/)
      const split: Talk = [['user', `A ${SECRET.slice(0, 4)}`, `${SECRET.slice(4)} and ${SECRET}.`]]
      const hooked = await send(name, 'hook', formats[name].body(split))
      assert.equal(JSON.stringify(hooked.sent).includes(SECRET), false)
      assert.match(hooked.sent ?? '', /"A \[masked\]"|"A "/)
      assert.doesNotMatch(hooked.sent ?? '', new RegExp(SECRET.slice(4)))
    })
  }

  test('is sent to webhooks after the system prompt, wherever that is', async () => {
    for (const name of ['messages', 'generateContent'] as const) {
      await send(
        name,
        'hook',
        formats[name].body([
          ['user', 'hi'],
          ['system', 'be kind'],
        ]),
      )
      const body = services.asked[0]?.body ?? ''
      assert.deepEqual(JSON.parse(body), {
        body: {
          messages: [
            { role: 'system', content: 'be kind' },
            { role: 'user', content: 'hi' },
          ],
        },
      })
    }
    await send('responses', 'hook', { input: 'hi', tools: [], instructions: 'be kind' })
    assert.match(services.asked[0]?.body ?? '', /be kind.*hi/)
  })

  const answers = (...parts: string[]): Readonly<Record<Name, ProviderResponse>> => ({
    completions: jsonResponse({
      ...completion,
      choices: [
        {
          index: 0,
          finish_reason: 'stop',
          message: { role: 'assistant', content: parts.map((text) => ({ type: 'text', text })) },
        },
      ],
    }),
    messages: jsonResponse({ ...message, content: parts.map((text) => ({ type: 'text', text })) }),
    responses: jsonResponse({
      ...response,
      output: parts.map((text) => ({
        ...response.output[0],
        content: [{ type: 'output_text', text, annotations: [] }],
      })),
    }),
    generateContent: jsonResponse({
      candidates: [
        {
          index: 0,
          finishReason: 'STOP',
          content: { role: 'model', parts: parts.map((text) => ({ text })) },
        },
      ],
    }),
  })
  const hi: Talk = [['user', 'hi']]
  for (const name of names)
    test(`is found in replies as well (${name})`, async () => {
      const forbidden = answers(`It is ${one}`, `${two}.`)[name]
      for (const model of ['reject', 'hook', 'followed']) {
        const { status, text } = await send(name, model, formats[name].body(hi), forbidden)
        assert.equal(status, 403, text)
      }
      const { text } = await send(name, 'mask', formats[name].body(hi), answers('Ask a@', 'b.com now')[name])
      assert.doesNotMatch(text, /a@|b\.com/)
      assert.match(text, /<EMAIL_ADDRESS>/)
    })

  test('is not joined across choices', async () => {
    const choice = (index: number, content: string) => ({
      index,
      finish_reason: 'stop',
      message: { role: 'assistant', content },
    })
    const body = jsonResponse({ ...completion, choices: [choice(0, one), choice(1, two)] })
    assert.equal((await send('completions', 'reject', formats.completions.body(hi), body)).status, 200)
  })

  const messagesStream = (...parts: string[]) =>
    [
      { type: 'message_start', message: { ...message, content: [], stop_reason: null } },
      ...parts.flatMap((text, index) => [
        { type: 'content_block_start', index, content_block: { type: 'text', text: '' } },
        { type: 'content_block_delta', index, delta: { type: 'text_delta', text } },
        { type: 'content_block_stop', index },
      ]),
      {
        type: 'message_delta',
        delta: { stop_reason: 'end_turn', stop_sequence: null },
        usage: { output_tokens: 2 },
      },
      { type: 'message_stop' },
    ]
      .map((data) => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`)
      .join('')
  const responsesStream = (...parts: string[]) => {
    const item = (text: string, i: number) => ({
      ...response.output[0],
      id: `msg_${String(i)}`,
      content: [{ type: 'output_text', text, annotations: [] }],
    })
    const events = [
      { type: 'response.created', response: { ...response, output: [], status: 'in_progress' } },
      ...parts.flatMap((text, output_index) => [
        {
          type: 'response.output_item.added',
          output_index,
          item: { ...item('', output_index), content: [] },
        },
        {
          type: 'response.output_text.delta',
          output_index,
          content_index: 0,
          item_id: `msg_${String(output_index)}`,
          delta: text,
        },
        {
          type: 'response.output_text.done',
          output_index,
          content_index: 0,
          item_id: `msg_${String(output_index)}`,
          text,
        },
        { type: 'response.output_item.done', output_index, item: item(text, output_index) },
      ]),
      { type: 'response.completed', response: { ...response, output: parts.map(item) } },
    ]
    return events
      .map(
        (data, sequence_number) =>
          `event: ${data.type}\ndata: ${JSON.stringify({ ...data, sequence_number })}\n\n`,
      )
      .join('')
  }
  for (const [name, stream] of [
    ['messages', messagesStream],
    ['responses', responsesStream],
  ] as const)
    for (const model of ['reject', 'hook', 'windows', 'followed'] as const) {
      test(`is found across the blocks of a stream (${name}, ${model})`, async () => {
        const body = { ...formats[name].body(hi), stream: true }
        const { text } = await send(name, model, body, streamResponse(stream(`It is ${one}`, `${two}.`)))
        assert.doesNotMatch(text, new RegExp(two))
        assert.match(text, /guardrail|no/)
        const fine = stream('It is fine', ' and well.')
        assert.equal((await send(name, model, body, streamResponse(fine))).text, fine)
        if (model !== 'followed' && model !== 'reject') return
        const edge = await send(name, model, body, streamResponse(stream('an ', 'edge', 'less')))
        assert.doesNotMatch(edge.text, /message_stop|response\.completed/)
      })
      if (model !== 'reject')
        test(`is masked across the blocks of a stream (${name}, ${model})`, async () => {
          const body = { ...formats[name].body(hi), stream: true }
          const masks = model === 'followed'
          const [a, b] = masks
            ? ['Ask a@', 'b.com, not c@d.org']
            : [`A ${SECRET.slice(0, 4)}`, `${SECRET.slice(4)} is.`]
          const { text } = await send(name, model, body, streamResponse(stream(a, b)))
          assert.doesNotMatch(
            text,
            masks ? /a@|b\.com|c@d/ : new RegExp(`${SECRET.slice(0, 4)}|${SECRET.slice(4)}`),
          )
          assert.match(text, /<EMAIL_ADDRESS>|\[masked\]/)
          assert.match(text, /message_stop|response\.completed/)
        })
    }
})
