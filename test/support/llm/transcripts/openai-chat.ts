import type { ChatCompletion, ChatCompletionChunk } from 'openai/resources/chat/completions'
import type { Transcript } from './transcript.ts'

/**
 * By the types `ChatCompletion` and `ChatCompletionChunk` of openai@7.57.0. Reasoning is counted there, but not sent.
 */
const usage = {
  prompt_tokens: 1200,
  completion_tokens: 60,
  total_tokens: 1260,
  prompt_tokens_details: { cached_tokens: 1000, audio_tokens: 0 },
  completion_tokens_details: {
    reasoning_tokens: 10,
    audio_tokens: 0,
    accepted_prediction_tokens: 0,
    rejected_prediction_tokens: 0,
  },
}

const whole: ChatCompletion = {
  id: 'chatcmpl-CabcDEF123',
  object: 'chat.completion',
  created: 1_763_700_000,
  model: 'gpt-5.1-2025-11-13',
  choices: [
    {
      index: 0,
      message: {
        role: 'assistant',
        content: 'Let me look.',
        tool_calls: [
          { id: 'call_bern', type: 'function', function: { name: 'weather', arguments: '{"city":"Bern"}' } },
          { id: 'call_rome', type: 'function', function: { name: 'weather', arguments: '{"city":"Rome"}' } },
        ],
        refusal: null,
        annotations: [],
      },
      logprobs: null,
      finish_reason: 'tool_calls',
    },
  ],
  usage,
  service_tier: 'default',
}

type Delta = ChatCompletionChunk.Choice.Delta

const chunk = (delta: Delta, finish: ChatCompletionChunk.Choice['finish_reason'] = null): object => ({
  ...head,
  choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
  usage: null,
  obfuscation: 'x7Kq',
})

const head = {
  id: 'chatcmpl-CabcDEF123',
  object: 'chat.completion.chunk',
  created: 1_763_700_000,
  model: 'gpt-5.1-2025-11-13',
  service_tier: 'default',
  system_fingerprint: null,
}

const call = (index: number, id: string, name: string): Delta => ({
  tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }],
})

const piece = (index: number, text: string): Delta => ({
  tool_calls: [{ index, function: { arguments: text } }],
})

const chunks = [
  chunk({ role: 'assistant', content: '', refusal: null }),
  chunk({ content: 'Let me' }),
  chunk({ content: ' look.' }),
  chunk(call(0, 'call_bern', 'weather')),
  chunk(piece(0, '{"city"')),
  chunk(piece(0, ':"Bern"}')),
  chunk(call(1, 'call_rome', 'weather')),
  chunk(piece(1, '{"city":"Ro')),
  chunk(piece(1, 'me"}')),
  chunk({}, 'tool_calls'),
  { ...head, choices: [], usage, obfuscation: '' },
]

/** OpenAI's Chat Completions. */
export const openaiChat: Transcript = {
  whole: JSON.stringify(whole),
  stream: `${chunks.map((one) => `data: ${JSON.stringify(one)}\n\n`).join('')}data: [DONE]\n\n`,
  streamType: 'text/event-stream; charset=utf-8',
}
