import type { ChatReply } from '../../../../../src/protocols/llm/chat/reply.ts'
import type { WireResponse } from './wire.ts'

/** A complete response, its decoded form, and its losses. */
export interface ReplyGolden {
  readonly wire: WireResponse
  readonly meaning: ChatReply
  readonly lost: readonly string[]
  /** The form that is encoded for a client, if it differs. */
  readonly written?: Partial<WireResponse>
}

/** What services echo of a request without these fields. */
export const echoed = {
  object: 'response',
  background: false,
  error: null,
  incomplete_details: null,
  instructions: null,
  max_output_tokens: null,
  metadata: {},
  parallel_tool_calls: true,
  previous_response_id: null,
  reasoning: { effort: null, summary: null },
  service_tier: null,
  temperature: null,
  text: { format: { type: 'text' } },
  tool_choice: 'auto',
  tools: [],
  top_p: null,
  truncation: 'disabled',
} as const satisfies Partial<WireResponse>

const fixed = { ...echoed, metadata: {}, tools: [], created_at: 1_741_476_777 }

export const replies: Readonly<Record<string, ReplyGolden>> = {
  'a text': {
    wire: {
      ...fixed,
      id: 'resp_67ccd3a9da74',
      model: 'gpt-5.1-2025-11-13',
      status: 'completed',
      service_tier: 'default',
      output: [
        {
          id: 'msg_67ccd3a9da74_0',
          type: 'message',
          status: 'completed',
          role: 'assistant',
          content: [{ type: 'output_text', text: 'A scene.', annotations: [], logprobs: [] }],
        },
      ],
      usage: {
        input_tokens: 328,
        input_tokens_details: { cached_tokens: 256, cache_write_tokens: 12 },
        output_tokens: 52,
        output_tokens_details: { reasoning_tokens: 32 },
        total_tokens: 380,
      },
    },
    meaning: {
      id: 'resp_67ccd3a9da74',
      model: 'gpt-5.1-2025-11-13',
      createdAtS: 1_741_476_777,
      parts: [{ type: 'text', text: 'A scene.' }],
      finish: 'stop',
      serviceTier: 'default',
      usage: {
        inputTokens: 328,
        outputTokens: 52,
        totalTokens: 380,
        cachedInputTokens: 256,
        cacheCreationInputTokens: 12,
        reasoningTokens: 32,
        providerInputTokens: 328,
        providerTotalTokens: 380,
      },
    },
    lost: [],
  },

  'thoughts and calls': {
    wire: {
      ...fixed,
      id: 'resp_2',
      model: 'o4-mini',
      status: 'completed',
      output: [
        {
          id: 'rs_2_0',
          type: 'reasoning',
          summary: [{ type: 'summary_text', text: 'Look it up.' }],
          encrypted_content: 'gAAAA',
        },
        { id: 'rs_2_1', type: 'reasoning', summary: [], encrypted_content: 'gBBBB' },
        {
          id: 'fc_2_2',
          type: 'function_call',
          status: 'completed',
          call_id: 'call_1',
          name: 'weather',
          arguments: '{"city":"Rome"}',
        },
        {
          id: 'fc_2_3',
          type: 'function_call',
          status: 'completed',
          call_id: 'call_2',
          name: 'now',
          arguments: '{}',
        },
      ],
    },
    meaning: {
      id: 'resp_2',
      model: 'o4-mini',
      createdAtS: 1_741_476_777,
      parts: [
        { type: 'thinking', text: 'Look it up.', signature: 'gAAAA' },
        { type: 'hiddenThinking', data: 'gBBBB' },
        { type: 'toolCall', id: 'call_1', name: 'weather', arguments: '{"city":"Rome"}' },
        { type: 'toolCall', id: 'call_2', name: 'now', arguments: '{}' },
      ],
      finish: 'toolCalls',
    },
    lost: [],
  },

  'a refusal': {
    wire: {
      ...fixed,
      id: 'resp_3',
      model: 'gpt-4o',
      status: 'completed',
      output: [
        {
          id: 'msg_3_0',
          type: 'message',
          status: 'completed',
          role: 'assistant',
          content: [{ type: 'refusal', refusal: 'I will not.' }],
        },
      ],
    },
    meaning: {
      id: 'resp_3',
      model: 'gpt-4o',
      createdAtS: 1_741_476_777,
      parts: [{ type: 'refusal', text: 'I will not.' }],
      finish: 'refusal',
    },
    lost: [],
  },

  'one that was cut short': {
    wire: {
      ...fixed,
      id: 'resp_4',
      model: 'gpt-4o',
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
      output: [
        {
          id: 'msg_4_0',
          type: 'message',
          status: 'incomplete',
          role: 'assistant',
          content: [{ type: 'output_text', text: 'Once upon', annotations: [], logprobs: [] }],
        },
      ],
    },
    meaning: {
      id: 'resp_4',
      model: 'gpt-4o',
      createdAtS: 1_741_476_777,
      parts: [{ type: 'text', text: 'Once upon' }],
      finish: 'length',
    },
    lost: [],
  },

  'a filtered one with a search and a source': {
    wire: {
      ...fixed,
      id: 'resp_5',
      model: 'gpt-4o',
      status: 'incomplete',
      incomplete_details: { reason: 'content_filter' },
      output: [
        { id: 'ws_1', type: 'web_search_call', status: 'completed', action: { type: 'search', query: 'x' } },
        {
          id: 'msg_5_0',
          type: 'message',
          status: 'incomplete',
          role: 'assistant',
          content: [
            {
              type: 'output_text',
              text: 'See there.',
              annotations: [
                {
                  type: 'url_citation',
                  url: 'https://example.com',
                  title: 'E',
                  start_index: 0,
                  end_index: 3,
                },
              ],
              logprobs: [],
            },
          ],
        },
      ],
    },
    meaning: {
      id: 'resp_5',
      model: 'gpt-4o',
      createdAtS: 1_741_476_777,
      parts: [{ type: 'text', text: 'See there.' }],
      finish: 'contentFilter',
    },
    lost: ['output.unknown', 'output.content.annotations'],
    written: {
      output: [
        {
          id: 'msg_5_0',
          type: 'message',
          status: 'incomplete',
          role: 'assistant',
          content: [{ type: 'output_text', text: 'See there.', annotations: [], logprobs: [] }],
        },
      ],
    },
  },
}
