import { namedEvents, type Transcript } from './transcript.ts'

/** By the types `Response` and `ResponseStreamEvent` of openai@7.57.0. */
const usage = {
  input_tokens: 1200,
  input_tokens_details: { cached_tokens: 1000 },
  output_tokens: 60,
  output_tokens_details: { reasoning_tokens: 10 },
  total_tokens: 1260,
}

const reasoning = (summary: readonly object[]) => ({ id: 'rs_1', type: 'reasoning', summary })
const message = (status: string, content: readonly object[]) => ({
  id: 'msg_1',
  type: 'message',
  status,
  content,
  role: 'assistant',
})
const call = (city: string, status: string, text: string) => ({
  id: `fc_${city}`,
  type: 'function_call',
  status,
  arguments: text,
  call_id: `call_${city.toLowerCase()}`,
  name: 'weather',
})

const thought = { type: 'summary_text', text: 'Two cities.' }
const said = { type: 'output_text', annotations: [], logprobs: [], text: 'Let me look.' }
const bern = call('Bern', 'completed', '{"city":"Bern"}')
const rome = call('Rome', 'completed', '{"city":"Rome"}')
const output = [reasoning([thought]), message('completed', [said]), bern, rome]

const response = (status: string, items: readonly object[], counted: object | null) => ({
  id: 'resp_0a1b2c',
  object: 'response',
  created_at: 1_763_700_000,
  status,
  background: false,
  error: null,
  incomplete_details: null,
  instructions: null,
  max_output_tokens: null,
  model: 'gpt-5.1-2025-11-13',
  output: items,
  parallel_tool_calls: true,
  previous_response_id: null,
  reasoning: { effort: 'medium', summary: 'detailed' },
  service_tier: 'default',
  store: false,
  temperature: 1,
  text: { format: { type: 'text' }, verbosity: 'medium' },
  tool_choice: 'auto',
  tools: [],
  top_p: 1,
  truncation: 'disabled',
  usage: counted,
  metadata: {},
})

const callEvents = (city: string, index: number, done: typeof bern) => {
  const at = { item_id: `fc_${city}`, output_index: index }
  const name = 'response.function_call_arguments'
  return [
    { type: 'response.output_item.added', output_index: index, item: call(city, 'in_progress', '') },
    { type: `${name}.delta`, ...at, delta: '{"city":', obfuscation: 'aB' },
    { type: `${name}.delta`, ...at, delta: `"${city}"}`, obfuscation: 'c' },
    { type: `${name}.done`, ...at, arguments: done.arguments, name: 'weather' },
    { type: 'response.output_item.done', output_index: index, item: done },
  ]
}

const thoughtAt = { item_id: 'rs_1', output_index: 0, summary_index: 0 }
const textAt = { item_id: 'msg_1', output_index: 1, content_index: 0 }
const unsaid = { ...said, text: '' }

const events = [
  { type: 'response.created', response: response('in_progress', [], null) },
  { type: 'response.in_progress', response: response('in_progress', [], null) },
  { type: 'response.output_item.added', output_index: 0, item: reasoning([]) },
  { type: 'response.reasoning_summary_part.added', ...thoughtAt, part: { type: 'summary_text', text: '' } },
  { type: 'response.reasoning_summary_text.delta', ...thoughtAt, delta: 'Two ', obfuscation: 'q' },
  { type: 'response.reasoning_summary_text.delta', ...thoughtAt, delta: 'cities.', obfuscation: 'r' },
  { type: 'response.reasoning_summary_text.done', ...thoughtAt, text: thought.text },
  { type: 'response.reasoning_summary_part.done', ...thoughtAt, part: thought },
  { type: 'response.output_item.done', output_index: 0, item: reasoning([thought]) },
  { type: 'response.output_item.added', output_index: 1, item: message('in_progress', []) },
  { type: 'response.content_part.added', ...textAt, part: unsaid },
  { type: 'response.output_text.delta', ...textAt, delta: 'Let me', logprobs: [], obfuscation: 's' },
  { type: 'response.output_text.delta', ...textAt, delta: ' look.', logprobs: [], obfuscation: 't' },
  { type: 'response.output_text.done', ...textAt, text: said.text, logprobs: [] },
  { type: 'response.content_part.done', ...textAt, part: said },
  { type: 'response.output_item.done', output_index: 1, item: message('completed', [said]) },
  ...callEvents('Bern', 2, bern),
  ...callEvents('Rome', 3, rome),
  { type: 'response.completed', response: response('completed', output, usage) },
]

/** OpenAI's Responses. */
export const openaiResponses: Transcript = {
  whole: JSON.stringify(response('completed', output, usage)),
  stream: namedEvents(events.map((event, i) => ({ ...event, sequence_number: i }))),
  streamType: 'text/event-stream; charset=utf-8',
}
