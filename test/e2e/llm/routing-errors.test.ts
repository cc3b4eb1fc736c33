import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { type ReceivedResponse, sendRequest } from '../../support/send-request.ts'
import { anyPorts, type Daemon, startDaemon } from '../../support/daemon.ts'
import {
  callModel,
  assertRefused,
  clientFormats,
  completions,
  messages,
} from '../../support/llm/client-formats.ts'

const configuration = `${anyPorts}
gateways:
  default: { address: 127.0.0.1, port: 0 }
llm:
  policies:
    apiKey:
      mode: optional
      location: { header: { name: x-badge } }
      keys: [{ key: k-narrow, allowedModels: [plain, 'team-*'] }]
  models:
    - { name: plain, provider: mock }
    - { name: guarded, provider: mock, authorization: { rules: ["request.headers['x-team'] == 'red'"] } }
    - { name: asked-for, provider: mock, matches: [{ headers: [{ name: x-tier, value: { exact: gold } }] }] }
    - { name: hidden, provider: mock, visibility: internal }
  virtualModels:
    - name: nothing-holds
      routing: { conditional: { targets: [{ model: plain, when: "llmRequest.never == 'there'" }] } }
    - name: to-asked-for
      routing: { failover: { targets: [{ model: asked-for, priority: 0 }] } }
    - name: to-guarded
      routing: { weighted: { targets: [{ model: guarded }] } }
`

const notFound = (model: string): string => `Model not found: ${model}. GET /v1/models lists the models`

/** The code, the message and the cause. */
const refusals = [
  { model: 'nobody', status: 404, code: 'model_not_found', message: notFound('nobody') },
  { model: 'hidden', status: 404, code: 'model_not_found', message: notFound('hidden') },
  { model: 'asked-for', status: 404, code: 'model_not_found', message: notFound('asked-for') },
  {
    model: 'guarded',
    status: 403,
    code: 'model_authorization_denied',
    message: 'Model authorization denied',
  },
  {
    model: 'to-guarded',
    status: 403,
    code: 'model_authorization_denied',
    message: 'Model authorization denied',
  },
  {
    model: 'guarded',
    headers: { 'x-badge': 'k-narrow' },
    status: 403,
    code: 'model_not_allowed',
    message: 'Model is not allowed for this API key',
  },
  {
    model: 'nothing-holds',
    status: 400,
    code: 'virtual_model_no_matching_target',
    message: 'Virtual model nothing-holds did not match any conditional target',
  },
  {
    model: 'to-asked-for',
    status: 404,
    code: 'virtual_model_target_not_found',
    message: 'Virtual model to-asked-for selected target asked-for, but no matching model was found',
  },
] as const

/** Retries if the connection is reset: a client that writes long after the reply cannot read it. */
const patiently = async (run: () => Promise<ReceivedResponse>): Promise<ReceivedResponse> => {
  for (let again = 0; ; again++)
    try {
      return await run()
    } catch (error) {
      if (again === 10 || !/ECONNRESET|EPIPE/.test(String(error))) throw error
    }
}

suite("routing errors in the client's format", { concurrency: 8 }, () => {
  let daemon: Daemon
  let origin: string
  before(async () => {
    daemon = await startDaemon(configuration)
    origin = daemon.url('default')
  })
  after(() => daemon[Symbol.asyncDispose]())

  for (const format of clientFormats)
    suite(format.name, () => {
      for (const refusal of refusals)
        test(`have ${refusal.code} for ${refusal.model}`, async () => {
          const headers = 'headers' in refusal ? refusal.headers : {}
          assertRefused(await callModel(origin, format, refusal.model, { headers }), format, refusal)
        })

      test('have invalid_request_body for invalid JSON', async () => {
        for (const [body, detail] of [
          ['{"model":', ': it ends too early'],
          ['{"model" "plain"}', ': it is not JSON from character 10 on'],
          ["{'model': 'plain'}", ': it is not JSON from character 2 on'],
          ['', ': it is empty'],
          ['"plain"', ': it is not an object'],
          [Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), ': it is not UTF-8'],
        ] as const)
          assertRefused(await callModel(origin, format, 'plain', { body }), format, {
            status: 400,
            code: 'invalid_request_body',
            message: `LLM request body must be valid JSON${detail}`,
          })
      })

      test('have invalid_request_body and a hint for a browser', async () => {
        const response = await fetch(origin + format.path('plain'))
        assert.equal(response.status, 400)
        assert.match(
          await response.text(),
          /LLM request body must be valid JSON: it is empty; models are asked with POST, not GET/,
        )
      })

      test('have request_body_too_large with the limit', async () => {
        const fields = { padding: 'x'.repeat(2 * 1024 * 1024) }
        const refused = await patiently(() => callModel(origin, format, 'plain', { fields }))
        assertRefused(refused, format, {
          status: 413,
          code: 'request_body_too_large',
          message: 'LLM request body exceeded the buffer limit of 2097152 bytes',
        })
      })
    })

  for (const format of clientFormats.filter(({ path }) => !path('MODEL').includes('MODEL')))
    test(`have missing_model, ${format.name}`, async () => {
      for (const model of [undefined, 1, null, ['plain'], { name: 'plain' }])
        assertRefused(await callModel(origin, format, 'plain', { fields: { model } }), format, {
          status: 400,
          code: 'missing_model',
          message: "LLM request body is missing string field 'model'",
        })
    })

  test('use the OpenAI format for unknown paths', async () => {
    const said = { status: 404, code: 'model_not_found', message: notFound('nobody') }
    for (const path of ['/v1/whatever', '/v1/images/generations', '/v1/messages/'])
      assertRefused(await callModel(origin, { ...messages, path: () => path }, 'nobody'), completions, said)
  })

  test('list the LLM paths for an unknown path without a model', async () => {
    const message =
      'route not found: no route takes this path, and language models are asked at others, such as ' +
      '/v1/chat/completions, /v1/messages, /v1/responses and /v1/models'
    const error = { message, type: 'not_found_error', param: null, code: 'route_not_found' }
    for (const method of ['GET', 'POST', 'DELETE'])
      for (const path of ['/unknown', '/favicon.ico', '/v1/chat/completion', '/v1/files?limit=1']) {
        const { status, text } = await sendRequest(origin, path, { method })
        assert.equal(status, 404)
        assert.deepEqual(JSON.parse(text), { error })
      }
  })

  test("use the format that the request's headers suggest for unknown paths", async () => {
    const said = async (path: string, headers: Record<string, string> = {}) =>
      JSON.parse((await sendRequest(origin, path, { headers })).text) as Record<string, unknown>
    const ofAnthropic = await said('/v1/messages/batches', { 'anthropic-version': '2023-06-01' })
    assert.equal(ofAnthropic.type, 'error')
    assert.equal((ofAnthropic.error as { type: string }).type, 'not_found_error')
    for (const ofGoogle of [
      await said('/upload', { 'x-goog-api-key': 'k' }),
      await said('/v1beta/models/nobody'),
    ])
      assert.equal((ofGoogle.error as { status: string }).status, 'NOT_FOUND')
  })

  test('have missing_model for an unknown path with a body', async () => {
    for (const body of ['{}', 'plain text'])
      assertRefused(await sendRequest(origin, '/unknown', { method: 'POST', body }), completions, {
        status: 400,
        code: 'missing_model',
        message: "LLM request body is missing string field 'model'",
      })
  })
})
