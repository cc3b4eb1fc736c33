import assert from 'node:assert/strict'
import { beforeEach, suite, test } from 'node:test'
import { callModel, assertRefused, clientFormats, completions } from '../../support/llm/client-formats.ts'
import { FORBIDDEN } from '../../support/llm/guard-services.ts'
import { recordedGateway } from '../../support/llm/recorded-gateway.ts'
import { completion, jsonResponse, streamResponse } from '../../support/llm/recording-provider.ts'

const regex = `{ regex: { action: reject, rules: [{ pattern: "${FORBIDDEN}" }] }, rejection: { status: 403, body: "no" } }`
const model = (name: string, host: string, more = '') =>
  `    - { name: ${name}, provider: openAI, params: { hostOverride: "${host}", apiKey: k }${more} }\n`

const configuration = (host: string) => `llm:
  models:
${model('forbidden', host, ', authorization: { rules: [{ deny: "true" }] }')}${model('any', host)}\
${model('guarded', host, `, guardrails: { request: [${regex}] }`)}\
${model('watched', host, `, guardrails: { response: [${regex}], streaming: Enabled }`)}\
${model('ruled', host, ', authorization: { rules: [{ deny: "llmRequest.metadata.team != \'a\'" }] }')}`

const other = (name: string, like: string) => `the member "${name}" is "${like}" in another letter case`

suite('a field in another letter case', () => {
  const gateway = recordedGateway(configuration)
  beforeEach(() => {
    gateway.provider.calls.length = 0
    gateway.provider.answer = jsonResponse(completion)
  })

  /** A member added to a body, and the name that has to be refused in it. */
  const changes: readonly (readonly [member: string, name: string, like: string])[] = [
    ['"Model":"forbidden"', 'Model', 'model'],
    ['"MODEL":"forbidden"', 'MODEL', 'model'],
    ['"\\u004dodel":"forbidden"', 'Model', 'model'],
    ['"Stream":true', 'Stream', 'stream'],
    ['"Messages":[{"role":"user","content":"x"}]', 'Messages', 'messages'],
    ['"me\\u017f\\u017fages":[]', 'me\u017f\u017fages', 'messages'],
    ['"Max_To\\u212aens":100000', 'Max_To\u212aens', 'max_tokens'],
    ['"Input":"x"', 'Input', 'input'],
    ['"System":"x"', 'System', 'system'],
    ['"Tools":[]', 'Tools', 'tools'],
    ['"generationConfig":{"MaxOutputTokens":9}', 'MaxOutputTokens', 'maxOutputTokens'],
    ['"inferenceConfig":{"maxtokens":9}', 'maxtokens', 'maxTokens'],
  ]
  for (const format of clientFormats)
    test(`is refused beside the field that it resembles: ${format.name}`, async () => {
      const body = JSON.stringify(format.body('any'))
      for (const [member, name, like] of changes)
        for (const changed of [body.replace('{', `{${member},`), body.replace(/\}$/, `,${member}}`)]) {
          const message = `LLM request body must be valid JSON: ${other(name, like)}`
          const answer = await callModel(gateway.origin, format, 'any', { body: changed })
          assertRefused(answer, format, { status: 400, code: 'invalid_request_body', message })
        }
      assert.equal(gateway.provider.calls.length, 0)
    })

  test('is refused instead of the field', async () => {
    const body = '{"Model":"any","messages":[{"role":"user","content":"hi"}]}'
    assert.equal((await callModel(gateway.origin, completions, '', { body })).status, 400)
    const images = { ...completions, path: () => '/v1/images/generations' }
    for (const said of [
      '{"model":"any","Model":"forbidden"}',
      '{"Model":"forbidden"}',
      '{"model":"any","STREAM":true}',
    ])
      assert.equal((await callModel(gateway.origin, images, '', { body: said })).status, 400, said)
    assert.equal(gateway.provider.calls.length, 0)
  })

  const hidden: readonly string[] = [
    `{"messages":[{"role":"user","content":"fine","Content":"${FORBIDDEN}"}]}`,
    `{"messages":[{"role":"user","Content":"${FORBIDDEN}"}]}`,
    `{"messages":[{"Role":"system","role":"user","content":"fine"}]}`,
    `{"messages":[{"role":"user","content":[{"type":"text","text":"fine","Text":"${FORBIDDEN}"}]}]}`,
    `{"messages":[{"role":"user","content":[{"type":"text","text":"fine","te\\u0058t":"${FORBIDDEN}"}]}]}`,
    `{"messages":[{"role":"user","content":"fine","\\u0063ontent\\u017f":"x","content\\u017f":"x","Name":"y"}]}`,
    `{"messages":[],"tools":[{"type":"function","function":{"name":"f","Description":"${FORBIDDEN}"}}]}`,
    `{"messages":[{"role":"assistant","tool_calls":[{"id":"1","type":"function","Function":{"name":"f","arguments":"{}"}}]}]}`,
  ]
  for (const body of hidden)
    test(`is refused in guarded requests: ${body.slice(0, 110)}`, async () => {
      const said = body.replace('{', '{"model":"guarded",')
      const { status, text } = await callModel(gateway.origin, completions, '', { body: said })
      assert.equal(status, 400, text)
      assert.equal(gateway.provider.calls.length, 0)
    })

  test('is allowed in free-form JSON', async () => {
    const free = { name: 1, Name: 2, Content: 3, TEXT: { Role: 4 } }
    const body = {
      model: 'guarded',
      metadata: { Model: 'a', Name: 'b' },
      messages: [
        { role: 'user', content: 'hi' },
        {
          role: 'assistant',
          content: null,
          tool_calls: [
            { id: '1', type: 'function', function: { name: 'f', arguments: JSON.stringify(free) } },
          ],
        },
        { role: 'tool', tool_call_id: '1', content: JSON.stringify(free) },
      ],
      tools: [
        {
          type: 'function',
          function: {
            name: 'f',
            parameters: { type: 'object', properties: { Name: {}, Text: {}, Type: {} } },
          },
        },
      ],
      response_format: {
        type: 'json_schema',
        json_schema: {
          name: 's',
          schema: { type: 'object', properties: { Title: { type: 'string' }, Content: {} } },
        },
      },
    }
    const { status, text } = await callModel(gateway.origin, completions, '', { body: JSON.stringify(body) })
    assert.equal(status, 200, text)
    assert.equal(gateway.provider.calls.at(-1)?.bytes.toString(), JSON.stringify(body))
  })

  test('is refused if a rule reads it', async () => {
    const body = (metadata: string) =>
      `{"model":"ruled","messages":[{"role":"user","content":"hi"}],"metadata":${metadata}}`
    for (const metadata of ['{"team":"a","Team":"b"}', '{"Team":"a"}', '{"TEAM":"b","team":"a"}'])
      assert.equal(
        (await callModel(gateway.origin, completions, '', { body: body(metadata) })).status,
        403,
        metadata,
      )
    assert.equal(gateway.provider.calls.length, 0)
    const told = await callModel(gateway.origin, completions, '', {
      body: body('{"team":"a","Who":1,"who":2}'),
    })
    assert.equal(told.status, 200, told.text)
  })

  const answers: readonly string[] = [
    `{"choices":[{"index":0,"message":{"role":"assistant","content":"fine","Content":"${FORBIDDEN}"}}]}`,
    `{"choices":[{"index":0,"message":{"role":"assistant","CONTENT":"${FORBIDDEN}"}}]}`,
    `{"choices":[],"Choices":[{"index":0,"message":{"role":"assistant","content":"${FORBIDDEN}"}}]}`,
  ]
  for (const body of answers)
    test(`blocks a guarded reply: ${body.slice(0, 90)}`, async () => {
      gateway.provider.answer = { headers: { 'content-type': 'application/json' }, body }
      const { status, text } = await callModel(gateway.origin, completions, 'watched')
      assert.ok(status >= 500, `${status} ${text}`)
      assert.ok(!text.includes(FORBIDDEN), text)
    })

  const fine = 'data: {"choices":[{"index":0,"delta":{"content":"fine "}}]}\n\n'
  const events: readonly string[] = [
    `data: {"choices":[{"index":0,"delta":{"content":"fine","Content":"${FORBIDDEN}"}}]}\n\n`,
    `data: {"choices":[{"index":0,"Delta":{"content":"${FORBIDDEN}"}}]}\n\n`,
    `data: {"choices":[{"index":0,"delta":{"content":"fine","conten\\u0054":"${FORBIDDEN}"}}]}\n\n`,
    `data: {"choices":[{"index":0,"delta":{"content":"${FORBIDDEN}","content":"fine"}}]}\n\n`,
    `data: {"CHOICES":[{"index":0,"delta":{"content":"${FORBIDDEN}"}}]}\n\n`,
  ]
  for (const event of events)
    test(`ends a guarded stream like a failed guard: ${event.slice(6, 90)}`, async () => {
      gateway.provider.answer = streamResponse(`${fine}${event}${fine}data: [DONE]\n\n`)
      const { text } = await callModel(gateway.origin, completions, 'watched', { fields: { stream: true } })
      assert.ok(!text.includes(FORBIDDEN), text)
      assert.ok(!text.includes('fine "}}]}\n\ndata: [DONE]'), text)
      assert.match(text, /error/)
    })

  test('is forwarded in replies without guards', async () => {
    const body = JSON.stringify({ ...completion, Choices: [] })
    gateway.provider.answer = { headers: { 'content-type': 'application/json' }, body }
    assert.equal((await callModel(gateway.origin, completions, 'any')).text, body)
  })
})
