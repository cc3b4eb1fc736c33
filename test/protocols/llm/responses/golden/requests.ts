import type { ChatRequest } from '../../../../../src/protocols/llm/chat/request.ts'
import type { WireRequest } from './wire.ts'

/** A request, its decoded form, its losses, and the form that is encoded for a provider. */
export interface RequestGolden {
  readonly wire: WireRequest
  readonly meaning: ChatRequest
  readonly lost: readonly string[]
  readonly written: WireRequest
}

const plain = { tools: [], instructions: [], stop: [], streaming: false, includeUsage: true } as const

export const requests: Readonly<Record<string, RequestGolden>> = {
  'a text': {
    wire: { model: 'gpt-5.1', input: 'Tell me a story.' },
    meaning: {
      ...plain,
      model: 'gpt-5.1',
      turns: [{ role: 'user', parts: [{ type: 'text', text: 'Tell me a story.' }] }],
    },
    lost: [],
    written: {
      model: 'gpt-5.1',
      input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Tell me a story.' }] }],
      store: false,
    },
  },

  'a conversation with tools and thoughts': {
    wire: {
      model: 'gpt-5.1',
      instructions: 'You are terse.',
      input: [
        { role: 'developer', content: 'Celsius only.' },
        {
          type: 'message',
          role: 'user',
          content: [{ type: 'input_text', text: 'Weather in Rome and Oslo?' }],
        },
        {
          type: 'reasoning',
          id: 'rs_1',
          summary: [
            { type: 'summary_text', text: 'Two cities.' },
            { type: 'summary_text', text: 'Two calls.' },
          ],
          encrypted_content: 'gAAAA-1',
        },
        { type: 'reasoning', id: 'rs_2', summary: [], encrypted_content: 'gAAAA-2' },
        {
          type: 'function_call',
          id: 'fc_1',
          call_id: 'call_1',
          name: 'weather',
          arguments: '{"city":"Rome"}',
        },
        {
          type: 'function_call',
          id: 'fc_2',
          call_id: 'call_2',
          name: 'weather',
          arguments: '{"city":"Oslo"}',
        },
        { type: 'function_call_output', call_id: 'call_1', output: '21 degrees' },
        {
          type: 'function_call_output',
          call_id: 'call_2',
          output: [
            { type: 'input_text', text: 'a picture:' },
            { type: 'input_image', image_url: 'https://example.com/oslo.png', detail: 'low' },
          ],
        },
        {
          type: 'message',
          id: 'msg_1',
          role: 'assistant',
          status: 'completed',
          content: [
            { type: 'output_text', text: 'Rome 21.', annotations: [] },
            { type: 'refusal', refusal: 'Oslo I may not say.' },
          ],
        },
        { role: 'user', content: 'Why?' },
      ],
      tools: [
        {
          type: 'function',
          name: 'weather',
          description: 'The weather of a city',
          parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
          strict: true,
        },
      ],
      tool_choice: { type: 'function', name: 'weather' },
      parallel_tool_calls: false,
      max_output_tokens: 500,
      temperature: 0.5,
      top_p: 0.9,
      reasoning: { effort: 'low', summary: 'auto' },
      include: ['reasoning.encrypted_content'],
      safety_identifier: 'user-1',
      service_tier: 'flex',
      store: false,
      stream: true,
    },
    meaning: {
      ...plain,
      model: 'gpt-5.1',
      instructions: [
        { type: 'text', text: 'You are terse.' },
        { type: 'text', text: 'Celsius only.' },
      ],
      turns: [
        { role: 'user', parts: [{ type: 'text', text: 'Weather in Rome and Oslo?' }] },
        {
          role: 'assistant',
          parts: [
            { type: 'thinking', text: 'Two cities.\n\nTwo calls.', signature: 'gAAAA-1' },
            { type: 'hiddenThinking', data: 'gAAAA-2' },
            { type: 'toolCall', id: 'call_1', name: 'weather', arguments: '{"city":"Rome"}' },
            { type: 'toolCall', id: 'call_2', name: 'weather', arguments: '{"city":"Oslo"}' },
          ],
        },
        {
          role: 'user',
          parts: [
            { type: 'toolResult', id: 'call_1', parts: [{ type: 'text', text: '21 degrees' }] },
            {
              type: 'toolResult',
              id: 'call_2',
              parts: [
                { type: 'text', text: 'a picture:' },
                { type: 'image', source: { url: 'https://example.com/oslo.png' }, detail: 'low' },
              ],
            },
          ],
        },
        {
          role: 'assistant',
          parts: [
            { type: 'text', text: 'Rome 21.' },
            { type: 'refusal', text: 'Oslo I may not say.' },
          ],
        },
        { role: 'user', parts: [{ type: 'text', text: 'Why?' }] },
      ],
      tools: [
        {
          name: 'weather',
          description: 'The weather of a city',
          parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
          strict: true,
        },
      ],
      toolChoice: { tool: 'weather' },
      parallelTools: false,
      maxTokens: 500,
      temperature: 0.5,
      topP: 0.9,
      reasoning: { effort: 'low', visible: true },
      user: 'user-1',
      serviceTier: 'flex',
      streaming: true,
    },
    lost: [],
    written: {
      model: 'gpt-5.1',
      instructions: 'You are terse.\nCelsius only.',
      input: [
        {
          type: 'message',
          role: 'user',
          content: [{ type: 'input_text', text: 'Weather in Rome and Oslo?' }],
        },
        // The type requires an id; without one the service does not look the item up in its store.
        {
          type: 'reasoning',
          summary: [{ type: 'summary_text', text: 'Two cities.\n\nTwo calls.' }],
          encrypted_content: 'gAAAA-1',
        } as never,
        { type: 'reasoning', summary: [], encrypted_content: 'gAAAA-2' } as never,
        { type: 'function_call', call_id: 'call_1', name: 'weather', arguments: '{"city":"Rome"}' },
        { type: 'function_call', call_id: 'call_2', name: 'weather', arguments: '{"city":"Oslo"}' },
        { type: 'function_call_output', call_id: 'call_1', output: '21 degrees' },
        {
          type: 'function_call_output',
          call_id: 'call_2',
          output: [
            { type: 'input_text', text: 'a picture:' },
            { type: 'input_image', detail: 'low', image_url: 'https://example.com/oslo.png' },
          ],
        },
        {
          type: 'message',
          role: 'assistant',
          content: [
            { type: 'output_text', text: 'Rome 21.' },
            { type: 'refusal', refusal: 'Oslo I may not say.' },
          ],
        } as never,
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Why?' }] },
      ],
      tools: [
        {
          type: 'function',
          name: 'weather',
          description: 'The weather of a city',
          parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
          strict: true,
        },
      ],
      tool_choice: { type: 'function', name: 'weather' },
      parallel_tool_calls: false,
      max_output_tokens: 500,
      temperature: 0.5,
      top_p: 0.9,
      reasoning: { effort: 'low', summary: 'auto' },
      include: ['reasoning.encrypted_content'],
      // eslint-disable-next-line @typescript-eslint/no-deprecated -- the name that all services of this format know
      user: 'user-1',
      service_tier: 'flex',
      store: false,
      stream: true,
    },
  },

  'pictures, sound and files': {
    wire: {
      model: 'gpt-4o',
      input: [
        {
          role: 'user',
          content: [
            { type: 'input_image', image_url: 'data:image/png;base64,iVBORw0KGgo=', detail: 'high' },
            { type: 'input_image', file_id: 'file-1', detail: 'auto' },
            { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' },
            { type: 'input_file', file_url: 'https://example.com/b.pdf' },
            { type: 'input_file', file_id: 'file-2' },
            { type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } } as never,
            { type: 'input_text', text: 'What is it?', prompt_cache_breakpoint: { mode: 'explicit' } },
          ],
        },
      ],
      text: {
        format: {
          type: 'json_schema',
          name: 'answer',
          description: 'An answer',
          schema: { type: 'object' },
          strict: true,
        },
      },
    },
    meaning: {
      ...plain,
      model: 'gpt-4o',
      turns: [
        {
          role: 'user',
          parts: [
            { type: 'image', source: { base64: 'iVBORw0KGgo=', mediaType: 'image/png' }, detail: 'high' },
            { type: 'image', source: { fileId: 'file-1' }, detail: 'auto' },
            { type: 'file', source: { base64: 'JVBERi0=', mediaType: 'application/pdf' }, name: 'a.pdf' },
            { type: 'file', source: { url: 'https://example.com/b.pdf' } },
            { type: 'file', source: { fileId: 'file-2' } },
            { type: 'audio', base64: 'UklGRg==', format: 'wav' },
            { type: 'text', text: 'What is it?', cache: {} },
          ],
        },
      ],
      output: {
        type: 'schema',
        schema: { type: 'object' },
        name: 'answer',
        description: 'An answer',
        strict: true,
      },
    },
    lost: [],
    written: {
      model: 'gpt-4o',
      input: [
        {
          type: 'message',
          role: 'user',
          content: [
            { type: 'input_image', detail: 'high', image_url: 'data:image/png;base64,iVBORw0KGgo=' },
            { type: 'input_image', detail: 'auto', file_id: 'file-1' },
            { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' },
            { type: 'input_file', file_url: 'https://example.com/b.pdf' },
            { type: 'input_file', file_id: 'file-2' },
            { type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } } as never,
            { type: 'input_text', text: 'What is it?' },
          ],
        },
      ],
      text: {
        format: {
          type: 'json_schema',
          name: 'answer',
          description: 'An answer',
          schema: { type: 'object' },
          strict: true,
        },
      },
      store: false,
    },
  },

  'what others cannot do': {
    wire: {
      model: 'gpt-5.1',
      input: [
        { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'x' } },
        { type: 'custom_tool_call', call_id: 'call_9', name: 'apply_patch', input: '*** Begin Patch' },
        { type: 'custom_tool_call_output', call_id: 'call_9', output: 'done' },
        { role: 'assistant', content: 'Found.', phase: 'commentary' },
        { role: 'user', content: 'Go on.' },
      ],
      tools: [
        { type: 'web_search' },
        { type: 'custom', name: 'apply_patch' },
        { type: 'function', name: 'run', parameters: null, strict: null },
        { type: 'function', name: 'stop', parameters: {}, strict: false },
      ],
      tool_choice: { type: 'allowed_tools', mode: 'required', tools: [{ type: 'function', name: 'run' }] },
      text: { format: { type: 'json_object' }, verbosity: 'low' },
      reasoning: { effort: 'xhigh', summary: 'detailed' },
      include: ['reasoning.encrypted_content', 'message.output_text.logprobs'],
      metadata: { team: 'a' },
      prompt_cache_key: 'k',
      store: true,
      // eslint-disable-next-line @typescript-eslint/no-deprecated -- clients still send it
      truncation: 'auto',
      top_logprobs: 3,
      max_tool_calls: 4,
      background: false,
      previous_response_id: null,
    },
    meaning: {
      ...plain,
      model: 'gpt-5.1',
      turns: [
        { role: 'assistant', parts: [{ type: 'text', text: 'Found.' }] },
        { role: 'user', parts: [{ type: 'text', text: 'Go on.' }] },
      ],
      tools: [{ name: 'run', parameters: { type: 'object', properties: {} } }],
      toolChoice: 'required',
      output: { type: 'json' },
      reasoning: { effort: 'xhigh', visible: true },
    },
    lost: [
      'include',
      'metadata',
      'prompt_cache_key',
      'store',
      'truncation',
      'top_logprobs',
      'max_tool_calls',
      'input.web_search_call',
      'input.custom_tool_call',
      'input.custom_tool_call_output',
      'input.phase',
      'tools.web_search',
      'tools.custom',
      'text.verbosity',
      'reasoning.summary',
    ],
    written: {
      model: 'gpt-5.1',
      input: [
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Found.' }] } as never,
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Go on.' }] },
      ],
      tools: [
        { type: 'function', name: 'run', parameters: { type: 'object', properties: {} }, strict: false },
      ],
      tool_choice: 'required',
      text: { format: { type: 'json_object' } },
      reasoning: { effort: 'xhigh', summary: 'auto' },
      include: ['reasoning.encrypted_content'],
      store: false,
    },
  },
}
