import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonObject } from '../../../../src/protocols/json/json-object.ts'
import { codecs } from '../../../../src/protocols/llm/codecs.ts'
import type { ChatFormat } from '../../../../src/protocols/llm/format.ts'
import { llmStreamViolations } from '../../../../src/testing/index.ts'
import { type ReceivedEvent, receivedEvents, type Cell, cells, providerBytes } from './goldens.ts'
import { translated } from './translate.ts'

/** How each provider reports in a stream that it is overloaded, or cannot continue. */
const inStream: Record<ChatFormat, ReceivedEvent> = {
  completions: {
    name: undefined,
    data: '{"error":{"message":"Busy","type":"rate_limit_error","param":null,"code":"rate_limit_exceeded"}}',
  },
  messages: { name: 'error', data: '{"type":"error","error":{"type":"overloaded_error","message":"Busy"}}' },
  responses: {
    name: 'response.failed',
    data: '{"type":"response.failed","sequence_number":9,"response":{"id":"resp_01","status":"failed","error":{"code":"server_error","message":"Busy"},"output":[]}}',
  },
  generateContent: {
    name: undefined,
    data: '{"error":{"code":503,"message":"Busy","status":"UNAVAILABLE"}}',
  },
  converse: { name: 'throttlingException', data: '{"message":"Busy"}' },
}

/** The last event of a client's stream for that. */
const lastOf: Record<string, JsonObject> = {
  'completions-to-generateContent': {
    error: { message: 'Busy', type: 'api_error', param: null, code: 'UNAVAILABLE' },
  },
  'completions-to-messages': { error: { message: 'Busy', type: 'api_error', param: null, code: null } },
  'completions-to-converse': {
    error: { message: 'Busy', type: 'rate_limit_error', param: null, code: 'ThrottlingException' },
  },
  'messages-to-completions': { type: 'error', error: { type: 'rate_limit_error', message: 'Busy' } },
  'messages-to-responses': { type: 'error', error: { type: 'api_error', message: 'Busy' } },
  'messages-to-converse': { type: 'error', error: { type: 'rate_limit_error', message: 'Busy' } },
  'responses-to-completions': { code: 'rate_limit_exceeded', message: 'Busy' },
  'responses-to-messages': { code: 'server_error', message: 'Busy' },
  'responses-to-converse': { code: 'rate_limit_exceeded', message: 'Busy' },
  'generateContent-to-completions': { error: { code: 429, message: 'Busy', status: 'RESOURCE_EXHAUSTED' } },
}

/** The error responses of each provider, in place of a stream or a complete response. */
const refused: Record<ChatFormat, readonly [status: number, body: unknown]> = {
  completions: [
    400,
    {
      error: {
        message: 'Too long',
        type: 'invalid_request_error',
        param: 'messages',
        code: 'context_length_exceeded',
      },
    },
  ],
  messages: [
    529,
    { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' }, request_id: 'r' },
  ],
  responses: [
    401,
    { error: { message: 'Bad key', type: 'invalid_request_error', param: null, code: 'invalid_api_key' } },
  ],
  generateContent: [404, { error: { code: 404, message: 'No such model', status: 'NOT_FOUND' } }],
  converse: [403, { message: 'No access to the model' }],
}

/** The error that the client gets. */
const refusedTo: Record<string, JsonObject> = {
  'completions-to-generateContent': {
    error: { message: 'No such model', type: 'not_found_error', param: null, code: 'NOT_FOUND' },
  },
  'completions-to-messages': { error: { message: 'Overloaded', type: 'api_error', param: null, code: null } },
  'completions-to-converse': {
    error: { message: 'No access to the model', type: 'permission_error', param: null, code: null },
  },
  'messages-to-completions': { type: 'error', error: { type: 'invalid_request_error', message: 'Too long' } },
  'messages-to-responses': { type: 'error', error: { type: 'authentication_error', message: 'Bad key' } },
  'messages-to-converse': {
    type: 'error',
    error: { type: 'permission_error', message: 'No access to the model' },
  },
  'responses-to-completions': {
    error: {
      message: 'Too long',
      type: 'invalid_request_error',
      param: 'messages',
      code: 'context_length_exceeded',
    },
  },
  'responses-to-messages': {
    error: { message: 'Overloaded', type: 'server_error', param: null, code: null },
  },
  'responses-to-converse': {
    error: { message: 'No access to the model', type: 'permission_error', param: null, code: null },
  },
  'generateContent-to-completions': { error: { code: 400, message: 'Too long', status: 'INVALID_ARGUMENT' } },
}

const lastEvent = (cell: Cell, text: string): unknown => {
  const { data = '' } = receivedEvents(cell.client, [Buffer.from(text)]).at(-1) ?? {}
  const event = JSON.parse(data) as JsonObject & { response?: { error: unknown } }
  return event.response ? event.response.error : event
}

for (const cell of cells)
  test(`errors of ${cell.provider} for a client of ${cell.client}`, async (t) => {
    await t.test('end a stream, wherever they occur', () => {
      const all = receivedEvents(cell.provider, [providerBytes(cell.provider)])
      for (let i = 1; i < all.length; i++) {
        const text = translated(cell, [...all.slice(0, i), inStream[cell.provider], ...all.slice(i)])
        assert.deepEqual(llmStreamViolations(cell.client, text), [])
        assert.deepEqual(lastEvent(cell, text), lastOf[cell.name])
      }
      assert.deepEqual(llmStreamViolations(cell.client, translated(cell, [inStream[cell.provider]])), [])
    })

    await t.test('replace a response, with their status', () => {
      const [status, body] = refused[cell.provider]
      const error = codecs[cell.provider].decodeError(status, body)
      assert.equal(error.status, status)
      assert.deepEqual(codecs[cell.client].encodeError(error), refusedTo[cell.name])
    })

    await t.test("have a message even if the provider's is unreadable", () => {
      for (const body of [undefined, null, 'text', 5, [], {}, { error: null }, { error: { message: 7 } }]) {
        const error = codecs[cell.provider].decodeError(502, body)
        assert.equal(error.status, 502)
        assert.match(error.message, /\S/)
        assert.match(JSON.stringify(codecs[cell.client].encodeError(error)), /"message":"[^"]/)
      }
    })
  })
