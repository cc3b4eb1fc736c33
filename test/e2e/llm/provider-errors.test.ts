import assert from 'node:assert/strict'
import { gzipSync } from 'node:zlib'
import { suite, test } from 'node:test'
import {
  callModel,
  type ClientFormat,
  completions,
  converse,
  embeddings,
  generateContent,
  messages,
  responses,
} from '../../support/llm/client-formats.ts'
import { recordedGateway } from '../../support/llm/recorded-gateway.ts'
import { jsonResponse } from '../../support/llm/recording-provider.ts'

const configuration = (host: string) => `llm:
  models:
    - { name: completions, provider: openAI, params: { hostOverride: "${host}", pathPrefix: /v1, model: gpt-4o } }
    - { name: messages, provider: anthropic, params: { hostOverride: "${host}" } }
    - { name: gemini, provider: gemini, params: { hostOverride: "${host}" } }
    - name: only-completions
      provider: { custom: { formats: [{ type: completions }] } }
      params: { hostOverride: "${host}" }
    - { name: bedrock, provider: bedrock, params: { awsRegion: eu-west-1, hostOverride: "${host}" }, auth: { key: k } }
`

/** Error types of each provider's clients by status: OpenAI's and Anthropic's error references, google.rpc.Code, Bedrock's exceptions. */
const table = [
  [
    400,
    'invalid_request_error',
    'invalid_request_error',
    'invalid_request_error',
    'INVALID_ARGUMENT',
    'ValidationException',
  ],
  [
    401,
    'authentication_error',
    'authentication_error',
    'authentication_error',
    'UNAUTHENTICATED',
    'AccessDeniedException',
  ],
  [
    403,
    'permission_error',
    'permission_error',
    'permission_error',
    'PERMISSION_DENIED',
    'AccessDeniedException',
  ],
  [404, 'not_found_error', 'not_found_error', 'not_found_error', 'NOT_FOUND', 'ResourceNotFoundException'],
  [
    408,
    'invalid_request_error',
    'invalid_request_error',
    'timeout_error',
    'DEADLINE_EXCEEDED',
    'ModelTimeoutException',
  ],
  [
    413,
    'invalid_request_error',
    'invalid_request_error',
    'request_too_large',
    'INVALID_ARGUMENT',
    'ValidationException',
  ],
  [
    429,
    'rate_limit_error',
    'rate_limit_error',
    'rate_limit_error',
    'RESOURCE_EXHAUSTED',
    'ThrottlingException',
  ],
  [500, 'api_error', 'server_error', 'api_error', 'INTERNAL', 'InternalServerException'],
  [503, 'api_error', 'server_error', 'overloaded_error', 'UNAVAILABLE', 'ServiceUnavailableException'],
  [529, 'api_error', 'server_error', 'overloaded_error', 'UNAVAILABLE', 'ServiceUnavailableException'],
] as const

/** Each client, the providers it uses here, its column of the table, and the location of its error type. */
const clients: readonly (readonly [ClientFormat, readonly string[], number, (body: Body) => unknown])[] = [
  [completions, ['only-completions', 'messages', 'gemini', 'bedrock'], 1, ({ error }) => error?.type],
  [embeddings, ['completions'], 1, ({ error }) => error?.type],
  [responses, ['completions', 'only-completions', 'messages'], 2, ({ error }) => error?.type],
  [messages, ['messages', 'only-completions', 'bedrock'], 3, ({ error }) => error?.type],
  [generateContent, ['gemini', 'only-completions'], 4, ({ error }) => error?.status],
  [converse, ['bedrock'], 5, ({ __type }) => __type],
]

interface Body {
  readonly type?: string
  readonly __type?: string
  readonly message?: string
  readonly error?: { readonly type?: string; readonly status?: string; readonly message: string }
}

/** Bodies that no LLM client could parse. */
const strange = [
  ['text', { 'content-type': 'text/plain' }, 'upstream connect error'],
  ['a page', { 'content-type': 'text/html' }, '<html><h1>Bad Gateway</h1></html>'],
  ['what says it is JSON and is none', { 'content-type': 'application/json' }, '{"error":'],
  ['JSON of somebody else', { 'content-type': 'application/json' }, '{"detail":"Not Found"}'],
  ['a list', { 'content-type': 'application/json' }, '[]'],
  ['nothing', {}, ''],
  ['what is not in the encoding it says', { 'content-encoding': 'gzip' }, 'plain'],
  ['an encoding that nobody knows', { 'content-encoding': 'rot13' }, '{}'],
] as const

suite("errors of providers keep their status, and use the client's format", () => {
  const gateway = recordedGateway(configuration)

  for (const [client, models, column, wordOf] of clients)
    for (const model of models)
      for (const row of table)
        test(`${client.name}, from ${model}, ${row[0]}`, async () => {
          const [status] = row
          for (const stream of client === embeddings ? [false] : [false, true])
            for (const [what, headers, body] of strange) {
              gateway.provider.answer = { status, headers: { 'retry-after': '17', ...headers }, body }
              const answer = await callModel(
                gateway.origin,
                client,
                model,
                client.body('').model === undefined ? {} : { fields: { stream } },
              )
              assert.equal(answer.status, status, what)
              assert.equal(answer.headers['retry-after'], '17')
              assert.equal(answer.headers['content-type'], 'application/json', what)
              assert.equal(answer.headers['content-encoding'], undefined)
              const said = JSON.parse(answer.text) as Body
              assert.equal(wordOf(said), row[column], `${what}: ${answer.text}`)
              assert.ok((said.error?.message ?? said.message ?? '').length > 0, what)
              if (client === messages) assert.equal(said.type, 'error')
            }
        })

  const own = {
    error: {
      message: 'You exceeded your quota.',
      type: 'insufficient_quota',
      param: null,
      code: 'insufficient_quota',
      extra: 1,
    },
  }

  test("in the client's own format are unchanged to the byte", async () => {
    const body = ` ${JSON.stringify(own)}\n`
    gateway.provider.answer = {
      status: 429,
      headers: { 'content-type': 'application/json; charset=utf-8', 'x-request-id': 'r' },
      body,
    }
    const answer = await callModel(gateway.origin, completions, 'only-completions')
    assert.equal(answer.text, body)
    assert.equal(answer.headers['x-request-id'], 'r')
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' }
    gateway.provider.answer = { status: 429, headers, body: gzipSync(body) }
    assert.equal((await callModel(gateway.origin, completions, 'only-completions')).text, body)
  })

  test('keep their message when they are translated', async () => {
    gateway.provider.answer = jsonResponse(own, 429)
    const answer = await callModel(gateway.origin, messages, 'only-completions')
    assert.deepEqual(JSON.parse(answer.text), {
      type: 'error',
      error: { type: 'rate_limit_error', message: 'You exceeded your quota.' },
    })
    const google = { error: { code: 429, message: 'Slow down.', status: 'RESOURCE_EXHAUSTED' } }
    gateway.provider.answer = jsonResponse([google], 429)
    assert.deepEqual(JSON.parse((await callModel(gateway.origin, completions, 'gemini')).text), {
      error: { message: 'Slow down.', type: 'rate_limit_error', param: null, code: 'RESOURCE_EXHAUSTED' },
    })
  })

  for (const status of [301, 302, 307, 308])
    test(`include redirects: ${status} is not followed`, async () => {
      const calls = gateway.provider.calls.length
      const headers = {
        location: `http://${gateway.provider.host}/elsewhere`,
        'content-type': 'application/json',
      }
      gateway.provider.answer = { status, headers, body: JSON.stringify(own) }
      const answer = await callModel(gateway.origin, completions, 'only-completions')
      assert.equal(answer.status, 502)
      assert.equal(answer.headers.location, undefined)
      assert.equal(gateway.provider.calls.length, calls + 1)
    })
})
