import type { ChatEvent } from '../../../../../src/protocols/llm/chat/events.ts'
import { echoed } from './replies.ts'
import type { WireEvent, WireResponse } from './wire.ts'

/** Events, and the stream that a client gets for them. */
export interface WrittenGolden {
  readonly events: readonly ChatEvent[]
  readonly wire: readonly WireEvent[]
}

const response = (more: Partial<WireResponse>): WireResponse =>
  ({
    ...echoed,
    metadata: {},
    tools: [],
    access_programs: null,
    id: 'resp_msg_01',
    model: 'claude-opus-4',
    created_at: 1_741_476_777,
    output: [],
    status: 'completed',
    ...more,
  }) as WireResponse

const start: ChatEvent = { type: 'start', id: 'msg_01', model: 'claude-opus-4', createdAtS: 1_741_476_777 }

const begun: readonly WireEvent[] = [
  { type: 'response.created', sequence_number: 0, response: response({ status: 'in_progress' }) },
  { type: 'response.in_progress', sequence_number: 1, response: response({ status: 'in_progress' }) },
]

const thought = {
  id: 'rs_msg_01_0',
  type: 'reasoning' as const,
  summary: [{ type: 'summary_text' as const, text: 'Hm.' }],
  encrypted_content: 'sig==',
}
const inThought = { item_id: 'rs_msg_01_0', output_index: 0, summary_index: 0 } as const
const text = {
  id: 'msg_msg_01_1',
  type: 'message' as const,
  status: 'completed' as const,
  role: 'assistant' as const,
  content: [{ type: 'output_text' as const, text: 'I look.', annotations: [], logprobs: [] }],
}
const inText = { item_id: 'msg_msg_01_1', output_index: 1, content_index: 0 } as const
const call = (index: 2 | 3, callId: string, name: string, args: string) => ({
  id: `fc_msg_01_${index}`,
  type: 'function_call' as const,
  status: 'completed' as const,
  call_id: callId,
  name,
  arguments: args,
})
const rome = call(2, 'toolu_1', 'weather', '{"city":"Rome"}')
const now = call(3, 'toolu_2', 'now', '{}')
const partial = {
  id: 'msg_msg_01_0',
  type: 'message' as const,
  role: 'assistant' as const,
}
const inPartial = { item_id: 'msg_msg_01_0', output_index: 0, content_index: 0 } as const

export const writtenStreams: Readonly<Record<string, WrittenGolden>> = {
  'a thought, a text and calls that overlap': {
    events: [
      start,
      { type: 'open', block: 0, part: { type: 'thinking' } },
      { type: 'delta', block: 0, text: 'Hm.' },
      { type: 'signature', block: 0, signature: 'sig==' },
      { type: 'close', block: 0 },
      { type: 'open', block: 1, part: { type: 'text' } },
      { type: 'delta', block: 1, text: 'I ' },
      { type: 'usage', usage: { inputTokens: 20 } },
      { type: 'delta', block: 1, text: 'look.' },
      { type: 'close', block: 1 },
      { type: 'open', block: 2, part: { type: 'toolCall', id: 'toolu_1', name: 'weather' } },
      { type: 'open', block: 3, part: { type: 'toolCall', id: 'toolu_2', name: 'now' } },
      { type: 'delta', block: 2, text: '{"city":"Rome"}' },
      { type: 'close', block: 3 },
      { type: 'close', block: 2 },
      { type: 'usage', usage: { inputTokens: 20, cachedInputTokens: 8, outputTokens: 9 } },
      { type: 'finish', finish: 'toolCalls' },
      { type: 'end' },
    ],
    wire: [
      ...begun,
      {
        type: 'response.output_item.added',
        sequence_number: 2,
        output_index: 0,
        item: { id: 'rs_msg_01_0', type: 'reasoning', summary: [] },
      },
      {
        type: 'response.reasoning_summary_part.added',
        sequence_number: 3,
        ...inThought,
        part: { type: 'summary_text', text: '' },
      },
      { type: 'response.reasoning_summary_text.delta', sequence_number: 4, ...inThought, delta: 'Hm.' },
      { type: 'response.reasoning_summary_text.done', sequence_number: 5, ...inThought, text: 'Hm.' },
      {
        type: 'response.reasoning_summary_part.done',
        sequence_number: 6,
        ...inThought,
        part: { type: 'summary_text', text: 'Hm.' },
      },
      { type: 'response.output_item.done', sequence_number: 7, output_index: 0, item: thought },
      {
        type: 'response.output_item.added',
        sequence_number: 8,
        output_index: 1,
        item: { id: 'msg_msg_01_1', type: 'message', status: 'in_progress', role: 'assistant', content: [] },
      },
      {
        type: 'response.content_part.added',
        sequence_number: 9,
        ...inText,
        part: { type: 'output_text', text: '', annotations: [], logprobs: [] },
      },
      { type: 'response.output_text.delta', sequence_number: 10, ...inText, delta: 'I ', logprobs: [] },
      { type: 'response.output_text.delta', sequence_number: 11, ...inText, delta: 'look.', logprobs: [] },
      { type: 'response.output_text.done', sequence_number: 12, ...inText, text: 'I look.', logprobs: [] },
      {
        type: 'response.content_part.done',
        sequence_number: 13,
        ...inText,
        part: { type: 'output_text', text: 'I look.', annotations: [], logprobs: [] },
      },
      { type: 'response.output_item.done', sequence_number: 14, output_index: 1, item: text },
      {
        type: 'response.output_item.added',
        sequence_number: 15,
        output_index: 2,
        item: { ...rome, status: 'in_progress', arguments: '' },
      },
      {
        type: 'response.output_item.added',
        sequence_number: 16,
        output_index: 3,
        item: { ...now, status: 'in_progress', arguments: '' },
      },
      {
        type: 'response.function_call_arguments.delta',
        sequence_number: 17,
        item_id: 'fc_msg_01_2',
        output_index: 2,
        delta: '{"city":"Rome"}',
      },
      {
        type: 'response.function_call_arguments.delta',
        sequence_number: 18,
        item_id: 'fc_msg_01_3',
        output_index: 3,
        delta: '{}',
      },
      {
        type: 'response.function_call_arguments.done',
        sequence_number: 19,
        item_id: 'fc_msg_01_3',
        output_index: 3,
        arguments: '{}',
      },
      { type: 'response.output_item.done', sequence_number: 20, output_index: 3, item: now },
      {
        type: 'response.function_call_arguments.done',
        sequence_number: 21,
        item_id: 'fc_msg_01_2',
        output_index: 2,
        arguments: '{"city":"Rome"}',
      },
      { type: 'response.output_item.done', sequence_number: 22, output_index: 2, item: rome },
      {
        type: 'response.completed',
        sequence_number: 23,
        response: response({
          output: [thought, text, rome, now],
          usage: {
            input_tokens: 20,
            input_tokens_details: { cached_tokens: 8, cache_write_tokens: 0 },
            output_tokens: 9,
            output_tokens_details: { reasoning_tokens: 0 },
            total_tokens: 29,
          },
        }),
      },
    ],
  },

  'hidden thoughts, a refusal, and no more tokens': {
    events: [
      start,
      { type: 'open', block: 0, part: { type: 'hiddenThinking', data: 'abc' } },
      { type: 'close', block: 0 },
      { type: 'open', block: 1, part: { type: 'refusal' } },
      { type: 'delta', block: 1, text: 'No' },
      { type: 'close', block: 1 },
      { type: 'finish', finish: 'length' },
      { type: 'end' },
    ],
    wire: [
      ...begun,
      {
        type: 'response.output_item.added',
        sequence_number: 2,
        output_index: 0,
        item: { id: 'rs_msg_01_0', type: 'reasoning', summary: [], encrypted_content: 'abc' },
      },
      {
        type: 'response.output_item.done',
        sequence_number: 3,
        output_index: 0,
        item: { id: 'rs_msg_01_0', type: 'reasoning', summary: [], encrypted_content: 'abc' },
      },
      {
        type: 'response.output_item.added',
        sequence_number: 4,
        output_index: 1,
        item: { id: 'msg_msg_01_1', type: 'message', status: 'in_progress', role: 'assistant', content: [] },
      },
      {
        type: 'response.content_part.added',
        sequence_number: 5,
        ...inText,
        part: { type: 'refusal', refusal: '' },
      },
      { type: 'response.refusal.delta', sequence_number: 6, ...inText, delta: 'No' },
      { type: 'response.refusal.done', sequence_number: 7, ...inText, refusal: 'No' },
      {
        type: 'response.content_part.done',
        sequence_number: 8,
        ...inText,
        part: { type: 'refusal', refusal: 'No' },
      },
      {
        type: 'response.output_item.done',
        sequence_number: 9,
        output_index: 1,
        item: { ...text, content: [{ type: 'refusal', refusal: 'No' }] },
      },
      {
        type: 'response.incomplete',
        sequence_number: 10,
        response: response({
          status: 'incomplete',
          incomplete_details: { reason: 'max_output_tokens' },
          output: [
            { id: 'rs_msg_01_0', type: 'reasoning', summary: [], encrypted_content: 'abc' },
            { ...text, content: [{ type: 'refusal', refusal: 'No' }] },
          ],
        }),
      },
    ],
  },

  'an error in the middle': {
    events: [
      start,
      { type: 'open', block: 0, part: { type: 'text' } },
      { type: 'delta', block: 0, text: 'Once' },
      { type: 'error', error: { status: 529, message: 'Overloaded', type: 'overloaded_error' } },
    ],
    wire: [
      ...begun,
      {
        type: 'response.output_item.added',
        sequence_number: 2,
        output_index: 0,
        item: { ...partial, status: 'in_progress', content: [] },
      },
      {
        type: 'response.content_part.added',
        sequence_number: 3,
        ...inPartial,
        part: { type: 'output_text', text: '', annotations: [], logprobs: [] },
      },
      { type: 'response.output_text.delta', sequence_number: 4, ...inPartial, delta: 'Once', logprobs: [] },
      {
        type: 'response.failed',
        sequence_number: 5,
        response: response({
          status: 'failed',
          error: { code: 'server_error', message: 'Overloaded' },
          output: [
            {
              ...partial,
              status: 'incomplete',
              content: [{ type: 'output_text', text: 'Once', annotations: [], logprobs: [] }],
            },
          ],
        }),
      },
    ],
  },

  'an error before the start': {
    events: [{ type: 'error', error: { status: 400, message: 'Too long', code: 'context_length_exceeded' } }],
    wire: [
      {
        type: 'error',
        sequence_number: 0,
        code: 'context_length_exceeded',
        message: 'Too long',
        param: null,
      },
    ],
  },
}
