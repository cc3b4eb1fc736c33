import { namedEvents, type Transcript } from './transcript.ts'

/** By the types `Message` and `RawMessageStreamEvent` of @anthropic-ai/sdk@1.12.0. */
const usage = (output: number) => ({
  input_tokens: 200,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 1000,
  cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
  output_tokens: output,
  service_tier: 'standard',
})

const message = (content: readonly object[], stop: string | null, output: number) => ({
  id: 'msg_01XyZ',
  type: 'message',
  role: 'assistant',
  model: 'claude-sonnet-4-5-20250929',
  content,
  stop_reason: stop,
  stop_sequence: null,
  usage: usage(output),
})

const content = [
  { type: 'thinking', thinking: 'Two cities.', signature: 'EqQBCgIYAhIM' },
  { type: 'text', text: 'Let me look.' },
  { type: 'tool_use', id: 'toolu_01Bern', name: 'weather', input: { city: 'Bern' } },
  { type: 'tool_use', id: 'toolu_01Rome', name: 'weather', input: { city: 'Rome' } },
]

const block = (index: number, start: object, deltas: readonly object[]) => [
  { type: 'content_block_start', index, content_block: start },
  ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
  { type: 'content_block_stop', index },
]

const call = (index: number, city: string) =>
  block(index, { type: 'tool_use', id: `toolu_01${city}`, name: 'weather', input: {} }, [
    { type: 'input_json_delta', partial_json: '' },
    { type: 'input_json_delta', partial_json: '{"city": ' },
    { type: 'input_json_delta', partial_json: `"${city}"}` },
  ])

const events = [
  { type: 'message_start', message: message([], null, 1) },
  ...block(0, { type: 'thinking', thinking: '', signature: '' }, [
    { type: 'thinking_delta', thinking: 'Two ' },
    { type: 'thinking_delta', thinking: 'cities.' },
    { type: 'signature_delta', signature: 'EqQBCgIYAhIM' },
  ]),
  { type: 'ping' },
  ...block(1, { type: 'text', text: '' }, [
    { type: 'text_delta', text: 'Let me' },
    { type: 'text_delta', text: ' look.' },
  ]),
  ...call(2, 'Bern'),
  ...call(3, 'Rome'),
  {
    type: 'message_delta',
    delta: { stop_reason: 'tool_use', stop_sequence: null },
    usage: {
      input_tokens: 200,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 1000,
      output_tokens: 60,
    },
  },
  { type: 'message_stop' },
]

/** Anthropic's Messages. */
export const anthropic: Transcript = {
  whole: JSON.stringify(message(content, 'tool_use', 60)),
  stream: namedEvents(events),
  streamType: 'text/event-stream; charset=utf-8',
}
