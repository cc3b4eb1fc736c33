import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonObject } from '../../../../src/protocols/json/json-object.ts'
import { replyEvents } from '../../../../src/protocols/llm/chat/reply-events.ts'
import { codecs } from '../../../../src/protocols/llm/codecs.ts'
import type { ChatFormat } from '../../../../src/protocols/llm/format.ts'
import { Losses } from '../../../../src/protocols/llm/dropped-fields.ts'
import { llmStreamViolations } from '../../../../src/testing/index.ts'
import { receivedEvents, cells } from './goldens.ts'
import { clientRequest, encoded } from './translate.ts'

/** A provider's response of one word, with a stop reason. */
const answers: Record<ChatFormat, (reason: string) => JsonObject> = {
  completions: (finish_reason) => ({
    id: 'c',
    created: 1,
    model: 'm',
    choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason }],
  }),
  messages: (stop_reason) => ({
    id: 'c',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [{ type: 'text', text: 'Hi' }],
    stop_reason,
    stop_sequence: stop_reason === 'stop_sequence' ? 'END' : null,
    usage: { input_tokens: 1, output_tokens: 1 },
  }),
  responses: (reason) => ({
    id: 'c',
    created_at: 1,
    model: 'm',
    status: reason === 'completed' ? 'completed' : 'incomplete',
    incomplete_details: reason === 'completed' ? null : { reason },
    output: [{ type: 'message', id: 'i', role: 'assistant', content: [{ type: 'output_text', text: 'Hi' }] }],
  }),
  generateContent: (finishReason) => ({
    candidates: [{ content: { role: 'model', parts: [{ text: 'Hi' }] }, finishReason }],
    modelVersion: 'm',
  }),
  converse: (stopReason) => ({
    output: { message: { role: 'assistant', content: [{ text: 'Hi' }] } },
    stopReason,
    usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
  }),
}

/** The relevant part of responses and events. */
interface Said {
  readonly choices?: readonly { readonly finish_reason?: unknown }[]
  readonly stop_reason?: unknown
  readonly delta?: { readonly stop_reason?: unknown }
  readonly status?: unknown
  readonly incomplete_details?: { readonly reason?: unknown } | null
  readonly response?: Said
  readonly candidates?: readonly { readonly finishReason?: unknown }[]
}

/** Where a client finds the stop reason, in a complete response and in the events of a stream. */
const reasonIn: Record<Exclude<ChatFormat, 'converse'>, (body: Said) => unknown> = {
  completions: ({ choices }) => choices?.[0]?.finish_reason,
  messages: ({ stop_reason, delta }) => stop_reason ?? delta?.stop_reason,
  responses: ({ status, incomplete_details, response }) =>
    response ? reasonIn.responses(response) : (incomplete_details?.reason ?? status),
  generateContent: ({ candidates }) => candidates?.[0]?.finishReason,
}

/** The provider's stop reason, and the client's. */
const table: Record<string, Readonly<Record<string, string>>> = {
  'completions-to-generateContent': {
    STOP: 'stop',
    MAX_TOKENS: 'length',
    SAFETY: 'content_filter',
    RECITATION: 'content_filter',
    PROHIBITED_CONTENT: 'content_filter',
  },
  'completions-to-messages': {
    end_turn: 'stop',
    stop_sequence: 'stop',
    pause_turn: 'stop',
    max_tokens: 'length',
    model_context_window_exceeded: 'length',
    refusal: 'content_filter',
  },
  'completions-to-converse': {
    end_turn: 'stop',
    stop_sequence: 'stop',
    max_tokens: 'length',
    guardrail_intervened: 'content_filter',
    content_filtered: 'content_filter',
  },
  'messages-to-completions': { stop: 'end_turn', length: 'max_tokens', content_filter: 'refusal' },
  'messages-to-responses': {
    completed: 'end_turn',
    max_output_tokens: 'max_tokens',
    content_filter: 'refusal',
  },
  'messages-to-converse': {
    end_turn: 'end_turn',
    stop_sequence: 'stop_sequence',
    max_tokens: 'max_tokens',
    guardrail_intervened: 'refusal',
    content_filtered: 'refusal',
  },
  'responses-to-completions': {
    stop: 'completed',
    length: 'max_output_tokens',
    content_filter: 'content_filter',
  },
  'responses-to-messages': {
    end_turn: 'completed',
    stop_sequence: 'completed',
    pause_turn: 'completed',
    max_tokens: 'max_output_tokens',
    refusal: 'content_filter',
  },
  'responses-to-converse': {
    end_turn: 'completed',
    max_tokens: 'max_output_tokens',
    guardrail_intervened: 'content_filter',
  },
  'generateContent-to-completions': { stop: 'STOP', length: 'MAX_TOKENS', content_filter: 'SAFETY' },
}

for (const { client, provider, name } of cells)
  test(`the stop reason of ${provider}`, async (t) => {
    for (const [reason, expected] of Object.entries(table[name] ?? {}))
      await t.test(`is ${expected} for a client of ${client} if it is ${reason}`, () => {
        const reply = codecs[provider].decodeReply(answers[provider](reason), new Losses())
        const whole = codecs[client].encodeReply(reply, clientRequest, new Losses())
        assert.equal(reasonIn[client](whole), expected)

        const stream = encoded(client, replyEvents(reply))
        assert.deepEqual(llmStreamViolations(client, stream), [])
        const reasons = receivedEvents(client, [Buffer.from(stream)])
          .filter(({ data }) => data !== '[DONE]')
          .map(({ data }) => reasonIn[client](JSON.parse(data) as Said))
          .filter((found) => found !== undefined && found !== null && found !== 'in_progress')
        assert.deepEqual(reasons, [expected])
      })

    await t.test(`has tests for a client of ${client}`, () => {
      assert.ok(Object.keys(table[name] ?? {}).length >= 3)
    })
  })
