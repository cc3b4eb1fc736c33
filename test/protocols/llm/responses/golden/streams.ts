import type { ChatEvent } from '../../../../../src/protocols/llm/chat/events.ts'
import { echoed } from './replies.ts'
import type { WireEvent, WireResponse } from './wire.ts'

/** A provider's stream, and its events. */
export interface StreamGolden {
  readonly wire: readonly WireEvent[]
  readonly meaning: readonly ChatEvent[]
}

const response = (id: string, more: Partial<WireResponse>): WireResponse => ({
  ...echoed,
  metadata: {},
  tools: [],
  id,
  model: 'gpt-5.1',
  created_at: 1_741_476_777,
  output: [],
  status: 'completed',
  ...more,
})

const begun = (id: string): readonly WireEvent[] => [
  { type: 'response.created', sequence_number: 0, response: response(id, { status: 'in_progress' }) },
  { type: 'response.in_progress', sequence_number: 1, response: response(id, { status: 'in_progress' }) },
]

const start = (id: string): ChatEvent => ({
  type: 'start',
  id,
  model: 'gpt-5.1',
  createdAtS: 1_741_476_777,
})

const message = (id: string, status: 'in_progress' | 'completed' | 'incomplete', text?: string) => ({
  id,
  type: 'message' as const,
  status,
  role: 'assistant' as const,
  content: text === undefined ? [] : [{ type: 'output_text' as const, text, annotations: [], logprobs: [] }],
})

const inText = { item_id: 'msg_1', output_index: 0, content_index: 0 } as const

export const streams: Readonly<Record<string, StreamGolden>> = {
  'a text': {
    wire: [
      ...begun('resp_1'),
      {
        type: 'response.output_item.added',
        sequence_number: 2,
        output_index: 0,
        item: message('msg_1', 'in_progress'),
      },
      {
        type: 'response.content_part.added',
        sequence_number: 3,
        ...inText,
        part: { type: 'output_text', text: '', annotations: [], logprobs: [] },
      },
      { type: 'response.output_text.delta', sequence_number: 4, ...inText, delta: 'Hé', logprobs: [] },
      { type: 'response.output_text.delta', sequence_number: 5, ...inText, delta: 'llo 🌍', logprobs: [] },
      { type: 'response.output_text.done', sequence_number: 6, ...inText, text: 'Héllo 🌍', logprobs: [] },
      {
        type: 'response.content_part.done',
        sequence_number: 7,
        ...inText,
        part: { type: 'output_text', text: 'Héllo 🌍', annotations: [], logprobs: [] },
      },
      {
        type: 'response.output_item.done',
        sequence_number: 8,
        output_index: 0,
        item: message('msg_1', 'completed', 'Héllo 🌍'),
      },
      {
        type: 'response.completed',
        sequence_number: 9,
        response: response('resp_1', {
          output: [message('msg_1', 'completed', 'Héllo 🌍')],
          usage: {
            input_tokens: 11,
            input_tokens_details: { cached_tokens: 4, cache_write_tokens: 0 },
            output_tokens: 5,
            output_tokens_details: { reasoning_tokens: 0 },
            total_tokens: 16,
          },
        }),
      },
    ],
    meaning: [
      start('resp_1'),
      { type: 'open', block: 0, part: { type: 'text' } },
      { type: 'delta', block: 0, text: 'Hé' },
      { type: 'delta', block: 0, text: 'llo 🌍' },
      { type: 'close', block: 0 },
      {
        type: 'usage',
        usage: {
          inputTokens: 11,
          outputTokens: 5,
          totalTokens: 16,
          cachedInputTokens: 4,
          cacheCreationInputTokens: 0,
          reasoningTokens: 0,
          providerInputTokens: 11,
          providerTotalTokens: 16,
        },
      },
      { type: 'finish', finish: 'stop' },
      { type: 'end' },
    ],
  },

  'thoughts, hidden thoughts and calls that overlap': {
    wire: [
      ...begun('resp_2'),
      {
        type: 'response.output_item.added',
        sequence_number: 2,
        output_index: 0,
        item: { id: 'rs_1', type: 'reasoning', summary: [], encrypted_content: 'gAA' },
      },
      {
        type: 'response.reasoning_summary_part.added',
        sequence_number: 3,
        item_id: 'rs_1',
        output_index: 0,
        summary_index: 0,
        part: { type: 'summary_text', text: '' },
      },
      {
        type: 'response.reasoning_summary_text.delta',
        sequence_number: 4,
        item_id: 'rs_1',
        output_index: 0,
        summary_index: 0,
        delta: 'Two cities.',
      },
      {
        type: 'response.reasoning_summary_text.done',
        sequence_number: 5,
        item_id: 'rs_1',
        output_index: 0,
        summary_index: 0,
        text: 'Two cities.',
      },
      {
        type: 'response.reasoning_summary_part.done',
        sequence_number: 6,
        item_id: 'rs_1',
        output_index: 0,
        summary_index: 0,
        part: { type: 'summary_text', text: 'Two cities.' },
      },
      {
        type: 'response.reasoning_summary_text.delta',
        sequence_number: 7,
        item_id: 'rs_1',
        output_index: 0,
        summary_index: 1,
        delta: 'Two calls.',
      },
      {
        type: 'response.output_item.done',
        sequence_number: 8,
        output_index: 0,
        item: {
          id: 'rs_1',
          type: 'reasoning',
          summary: [
            { type: 'summary_text', text: 'Two cities.' },
            { type: 'summary_text', text: 'Two calls.' },
          ],
          encrypted_content: 'gAAAA',
        },
      },
      {
        type: 'response.output_item.added',
        sequence_number: 9,
        output_index: 1,
        item: { id: 'rs_2', type: 'reasoning', summary: [] },
      },
      {
        type: 'response.output_item.done',
        sequence_number: 10,
        output_index: 1,
        item: { id: 'rs_2', type: 'reasoning', summary: [], encrypted_content: 'gBBBB' },
      },
      {
        type: 'response.output_item.added',
        sequence_number: 11,
        output_index: 2,
        item: {
          id: 'fc_1',
          type: 'function_call',
          status: 'in_progress',
          call_id: 'call_1',
          name: 'weather',
          arguments: '',
        },
      },
      {
        type: 'response.output_item.added',
        sequence_number: 12,
        output_index: 3,
        item: {
          id: 'fc_2',
          type: 'function_call',
          status: 'in_progress',
          call_id: 'call_2',
          name: 'weather',
          arguments: '',
        },
      },
      {
        type: 'response.function_call_arguments.delta',
        sequence_number: 13,
        item_id: 'fc_1',
        output_index: 2,
        delta: '{"city":',
      },
      {
        type: 'response.function_call_arguments.delta',
        sequence_number: 14,
        item_id: 'fc_2',
        output_index: 3,
        delta: '{"city":"Oslo"}',
      },
      {
        type: 'response.function_call_arguments.delta',
        sequence_number: 15,
        item_id: 'fc_1',
        output_index: 2,
        delta: '"Rome"}',
      },
      {
        type: 'response.function_call_arguments.done',
        sequence_number: 16,
        item_id: 'fc_1',
        output_index: 2,
        arguments: '{"city":"Rome"}',
      },
      {
        type: 'response.output_item.done',
        sequence_number: 17,
        output_index: 2,
        item: {
          id: 'fc_1',
          type: 'function_call',
          status: 'completed',
          call_id: 'call_1',
          name: 'weather',
          arguments: '{"city":"Rome"}',
        },
      },
      {
        type: 'response.function_call_arguments.done',
        sequence_number: 18,
        item_id: 'fc_2',
        output_index: 3,
        arguments: '{"city":"Oslo"}',
      },
      {
        type: 'response.output_item.done',
        sequence_number: 19,
        output_index: 3,
        item: {
          id: 'fc_2',
          type: 'function_call',
          status: 'completed',
          call_id: 'call_2',
          name: 'weather',
          arguments: '{"city":"Oslo"}',
        },
      },
      {
        type: 'response.completed',
        sequence_number: 20,
        response: response('resp_2', {
          output: [
            {
              id: 'rs_1',
              type: 'reasoning',
              summary: [
                { type: 'summary_text', text: 'Two cities.' },
                { type: 'summary_text', text: 'Two calls.' },
              ],
              encrypted_content: 'gAAAA',
            },
          ],
        }),
      },
    ],
    meaning: [
      start('resp_2'),
      { type: 'open', block: 0, part: { type: 'thinking' } },
      { type: 'delta', block: 0, text: 'Two cities.' },
      { type: 'delta', block: 0, text: '\n\n' },
      { type: 'delta', block: 0, text: 'Two calls.' },
      { type: 'signature', block: 0, signature: 'gAAAA' },
      { type: 'close', block: 0 },
      { type: 'open', block: 1, part: { type: 'hiddenThinking', data: 'gBBBB' } },
      { type: 'close', block: 1 },
      { type: 'open', block: 2, part: { type: 'toolCall', id: 'call_1', name: 'weather' } },
      { type: 'open', block: 3, part: { type: 'toolCall', id: 'call_2', name: 'weather' } },
      { type: 'delta', block: 2, text: '{"city":' },
      { type: 'delta', block: 3, text: '{"city":"Oslo"}' },
      { type: 'delta', block: 2, text: '"Rome"}' },
      { type: 'close', block: 2 },
      { type: 'close', block: 3 },
      { type: 'finish', finish: 'toolCalls' },
      { type: 'end' },
    ],
  },

  'a refusal in the middle of a message': {
    wire: [
      ...begun('resp_3'),
      {
        type: 'response.output_item.added',
        sequence_number: 2,
        output_index: 0,
        item: message('msg_1', 'in_progress'),
      },
      {
        type: 'response.content_part.added',
        sequence_number: 3,
        ...inText,
        part: { type: 'output_text', text: '', annotations: [], logprobs: [] },
      },
      { type: 'response.output_text.delta', sequence_number: 4, ...inText, delta: 'Well, ', logprobs: [] },
      { type: 'response.output_text.done', sequence_number: 5, ...inText, text: 'Well, ', logprobs: [] },
      {
        type: 'response.content_part.done',
        sequence_number: 6,
        ...inText,
        part: { type: 'output_text', text: 'Well, ', annotations: [], logprobs: [] },
      },
      {
        type: 'response.content_part.added',
        sequence_number: 7,
        ...inText,
        content_index: 1,
        part: { type: 'refusal', refusal: '' },
      },
      { type: 'response.refusal.delta', sequence_number: 8, ...inText, content_index: 1, delta: 'no.' },
      { type: 'response.refusal.done', sequence_number: 9, ...inText, content_index: 1, refusal: 'no.' },
      {
        type: 'response.content_part.done',
        sequence_number: 10,
        ...inText,
        content_index: 1,
        part: { type: 'refusal', refusal: 'no.' },
      },
      {
        type: 'response.output_item.done',
        sequence_number: 11,
        output_index: 0,
        item: {
          ...message('msg_1', 'completed'),
          content: [
            { type: 'output_text', text: 'Well, ', annotations: [], logprobs: [] },
            { type: 'refusal', refusal: 'no.' },
          ],
        },
      },
      { type: 'response.completed', sequence_number: 12, response: response('resp_3', {}) },
    ],
    meaning: [
      start('resp_3'),
      { type: 'open', block: 0, part: { type: 'text' } },
      { type: 'delta', block: 0, text: 'Well, ' },
      { type: 'close', block: 0 },
      { type: 'open', block: 1, part: { type: 'refusal' } },
      { type: 'delta', block: 1, text: 'no.' },
      { type: 'close', block: 1 },
      { type: 'finish', finish: 'refusal' },
      { type: 'end' },
    ],
  },

  'one that runs out of tokens after a search': {
    wire: [
      ...begun('resp_4'),
      {
        type: 'response.output_item.added',
        sequence_number: 2,
        output_index: 0,
        item: {
          id: 'ws_1',
          type: 'web_search_call',
          status: 'in_progress',
          action: { type: 'search', query: 'x' },
        },
      },
      { type: 'response.web_search_call.searching', sequence_number: 3, output_index: 0, item_id: 'ws_1' },
      {
        type: 'response.output_item.done',
        sequence_number: 4,
        output_index: 0,
        item: {
          id: 'ws_1',
          type: 'web_search_call',
          status: 'completed',
          action: { type: 'search', query: 'x' },
        },
      },
      {
        type: 'response.output_item.added',
        sequence_number: 5,
        output_index: 1,
        item: message('msg_1', 'in_progress'),
      },
      {
        type: 'response.output_text.delta',
        sequence_number: 6,
        item_id: 'msg_1',
        output_index: 1,
        content_index: 0,
        delta: 'Once',
        logprobs: [],
      },
      {
        type: 'response.incomplete',
        sequence_number: 7,
        response: response('resp_4', {
          status: 'incomplete',
          incomplete_details: { reason: 'max_output_tokens' },
          output: [message('msg_1', 'incomplete', 'Once')],
        }),
      },
    ],
    meaning: [
      start('resp_4'),
      { type: 'open', block: 0, part: { type: 'text' } },
      { type: 'delta', block: 0, text: 'Once' },
      { type: 'close', block: 0 },
      { type: 'finish', finish: 'length' },
      { type: 'end' },
    ],
  },

  'one that fails': {
    wire: [
      ...begun('resp_5'),
      {
        type: 'response.failed',
        sequence_number: 2,
        response: response('resp_5', {
          status: 'failed',
          error: { code: 'rate_limit_exceeded', message: 'Rate limit reached.' },
        }),
      },
    ],
    meaning: [
      start('resp_5'),
      { type: 'error', error: { status: 429, message: 'Rate limit reached.', code: 'rate_limit_exceeded' } },
    ],
  },

  'an error before anything': {
    wire: [
      {
        type: 'error',
        sequence_number: 0,
        code: 'context_length_exceeded',
        message: 'Your input is too long.',
        param: 'input',
      },
    ],
    meaning: [
      {
        type: 'error',
        error: {
          status: 400,
          message: 'Your input is too long.',
          code: 'context_length_exceeded',
          param: 'input',
        },
      },
    ],
  },
}
