import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type LlmStreamRule, llmStreamViolations } from '../../../src/testing/index.ts'
import { named } from '../../support/sse-text.ts'

// Written from the types of openai (ResponseStreamEvent).
type Event = Readonly<Record<string, unknown>>

const response = (status: string, more: Event = {}): Event => ({
  id: 'resp_1',
  object: 'response',
  status,
  output: [],
  usage: null,
  ...more,
})
const usage = { input_tokens: 3, output_tokens: 2, total_tokens: 5 }
const created = { type: 'response.created', response: response('in_progress') }
const inProgress = { type: 'response.in_progress', response: response('in_progress') }
const completed = (output: readonly Event[], more: Event = {}): Event => ({
  type: 'response.completed',
  response: response('completed', { output, usage, ...more }),
})
const incomplete = (output: readonly Event[], reason?: string): Event => ({
  type: 'response.incomplete',
  response: response('incomplete', { output, incomplete_details: reason === undefined ? null : { reason } }),
})
const failed = {
  type: 'response.failed',
  response: response('failed', { error: { code: 'server_error', message: 'Overloaded' } }),
}
const error = { type: 'error', code: 'server_error', message: 'Overloaded', param: null }

const added = (output_index: number, item: Event): Event => ({
  type: 'response.output_item.added',
  output_index,
  item,
})
const itemDone = (output_index: number, item: Event): Event => ({
  type: 'response.output_item.done',
  output_index,
  item,
})
/** An event about a part. */
const at = (type: string, item_id: string, more: Event, output_index = 0, content_index = 0): Event => ({
  type: `response.${type}`,
  item_id,
  output_index,
  content_index,
  ...more,
})

const message = (content: readonly Event[] = []): Event => ({
  type: 'message',
  id: 'msg_1',
  role: 'assistant',
  content,
})
const outputText = (text: string): Event => ({ type: 'output_text', text, annotations: [] })
const partAdded = at('content_part.added', 'msg_1', { part: outputText('') })
const says = (delta: unknown) => at('output_text.delta', 'msg_1', { delta })
const textDone = (text: string) => at('output_text.done', 'msg_1', { text })
const partDone = (text: string) => at('content_part.done', 'msg_1', { part: outputText(text) })
const words = message([outputText('Hello')])
const beforeDone = [
  added(0, message()),
  partAdded,
  says('Hel'),
  says('lo'),
  textDone('Hello'),
  partDone('Hello'),
]
const hello = [...beforeDone, itemDone(0, words)]

const call = (text: string, id = 'fc_1', call_id = 'a'): Event => ({
  type: 'function_call',
  id,
  call_id,
  name: 'look_up',
  arguments: text,
})
const json = (delta: string, id = 'fc_1', index = 0) =>
  at('function_call_arguments.delta', id, { delta }, index)
const jsonDone = (text: string, id = 'fc_1', index = 0) =>
  at('function_call_arguments.done', id, { arguments: text }, index)
const called = (text: string): readonly Event[] => [
  created,
  added(0, call('')),
  json(text),
  jsonDone(text),
  itemDone(0, call(text)),
]

const reasoning = (text?: string): Event => ({
  type: 'reasoning',
  id: 'rs_1',
  summary: text === undefined ? [] : [{ type: 'summary_text', text }],
})
const summary = (type: string, more: Event): Event => ({
  type: `response.reasoning_summary_${type}`,
  item_id: 'rs_1',
  output_index: 0,
  summary_index: 0,
  ...more,
})
const thought = [
  added(0, reasoning()),
  summary('part.added', { part: { type: 'summary_text', text: '' } }),
  summary('text.delta', { delta: 'Hm' }),
  summary('text.done', { text: 'Hm' }),
  summary('part.done', { part: { type: 'summary_text', text: 'Hm' } }),
  itemDone(0, reasoning('Hm')),
]
const refusal = (type: string, more: Event) => at(type, 'msg_1', more)
const no = { type: 'refusal', refusal: 'No' }

const valid: Readonly<Record<string, readonly Event[]>> = {
  words: [created, inProgress, ...hello, completed([words])],
  'nothing at all': [created, completed([])],
  thoughts: [created, inProgress, ...thought, completed([reasoning('Hm')])],
  'a refusal': [
    created,
    added(0, message()),
    refusal('content_part.added', { part: { type: 'refusal', refusal: '' } }),
    refusal('refusal.delta', { delta: 'No' }),
    refusal('refusal.done', { refusal: 'No' }),
    refusal('content_part.done', { part: no }),
    itemDone(0, message([no])),
    completed([message([no])]),
  ],
  'a tool call': [...called('{"q":1}'), completed([call('{"q":1}')])],
  'tool calls that overlap': [
    created,
    added(0, call('')),
    added(1, call('', 'fc_2', 'b')),
    json('{}', 'fc_2', 1),
    json('{"q"'),
    jsonDone('{}', 'fc_2', 1),
    json(':1}'),
    jsonDone('{"q":1}'),
    itemDone(1, call('{}', 'fc_2', 'b')),
    itemDone(0, call('{"q":1}')),
    completed([call('{"q":1}'), call('{}', 'fc_2', 'b')]),
  ],
  'annotated text': [
    created,
    ...beforeDone.slice(0, 4),
    at('output_text.annotation.added', 'msg_1', { annotation_index: 0, annotation: {} }),
    ...beforeDone.slice(4),
    itemDone(0, words),
    completed([words]),
  ],
  'a tool that the provider runs': [
    created,
    added(0, { type: 'web_search_call', id: 'ws_1', status: 'in_progress' }),
    { type: 'response.web_search_call.searching', output_index: 0, item_id: 'ws_1' },
    itemDone(0, { type: 'web_search_call', id: 'ws_1', status: 'completed' }),
    completed([{ type: 'web_search_call', id: 'ws_1', status: 'completed' }]),
  ],
  'arguments that were cut short': [...called('{"q"'), incomplete([call('{"q"')], 'max_output_tokens')],
  'a failure': [created, failed],
  'a failure in the middle of a text': [created, ...hello.slice(0, 3), failed],
  'an error at once': [error],
  'an error at once, and the failure of an unknown response': [error, failed],
  'an error and its failure': [created, error, failed],
}

const other = (what: Event, more: Event): Event => ({ ...what, ...more })

const wrong: readonly (readonly [what: string, rule: LlmStreamRule, events: readonly Event[]])[] = [
  ['has no response.created', 'start', [inProgress, ...hello, completed([words])]],
  ['starts twice', 'start', [created, created, ...hello, completed([words])]],
  [
    'starts without an id',
    'shape',
    [{ type: 'response.created', response: { status: 'in_progress', id: '' } }, error],
  ],
  ['does not end', 'end', [created, ...hello]],
  ['is empty', 'end', []],
  ['ends twice', 'end', [created, completed([]), completed([])]],
  ['goes on after its end', 'end', [created, completed([]), inProgress]],
  ['goes on after an error', 'end', [created, error, completed([])]],
  ['goes on after it failed', 'end', [created, failed, error]],
  ['changes its id', 'identity', [created, completed([], { id: 'resp_2' })]],
  ['is completed, and is not', 'finish', [created, completed([], { status: 'in_progress' })]],
  ['is incomplete for no reason', 'finish', [created, incomplete([])]],
  [
    'failed without saying why',
    'shape',
    [created, { type: 'response.failed', response: response('failed') }],
  ],
  ['has an error without a message', 'shape', [{ type: 'error' }]],
  ['has an event without a type', 'shape', [created, {}, completed([])]],
  ['has an unknown event', 'known', [created, { type: 'message_stop' }, completed([])]],
  ['leaves an item open', 'order', [created, ...beforeDone, completed([])]],
  [
    'leaves a part open',
    'order',
    [created, ...beforeDone.slice(0, 5), itemDone(0, words), completed([words])],
  ],
  [
    'ends a part before its text',
    'order',
    [created, ...beforeDone.slice(0, 4), partDone('Hello'), itemDone(0, words), completed([words])],
  ],
  [
    'goes on with a text that is done',
    'order',
    [created, ...beforeDone.slice(0, 5), says(''), ...hello.slice(5), completed([words])],
  ],
  ['has a delta for a completed item', 'order', [created, ...hello, says('!'), completed([words])]],
  ['has a delta for a missing item', 'order', [created, says('!'), completed([])]],
  [
    'has a delta for a missing part',
    'order',
    [created, added(0, message()), says(''), itemDone(0, message()), completed([message()])],
  ],
  ['ends an item twice', 'order', [created, ...hello, itemDone(0, words), completed([words])]],
  [
    'ends a call before its arguments',
    'order',
    [...called('{}').slice(0, 3), itemDone(0, call('{}')), completed([call('{}')])],
  ],
  [
    'goes on with arguments that are done',
    'order',
    [...called('{}').slice(0, 4), json(''), itemDone(0, call('{}')), completed([call('{}')])],
  ],
  ['leaves out an item', 'index', [created, added(1, message()), error]],
  [
    'leaves out a part',
    'index',
    [created, added(0, message()), other(partAdded, { content_index: 1 }), error],
  ],
  ['has arguments in a text item', 'delta', [created, added(0, message()), json('{}', 'msg_1'), error]],
  [
    'puts a refusal into text',
    'delta',
    [created, ...beforeDone.slice(0, 2), refusal('refusal.delta', { delta: 'No' }), error],
  ],
  [
    'puts a text into thoughts',
    'delta',
    [created, added(0, reasoning()), other(partAdded, { item_id: 'rs_1' }), error],
  ],
  [
    'has a delta of the wrong type for its item',
    'known',
    [created, added(0, message()), at('output_txt.delta', 'msg_1', {}), error],
  ],
  ['has a delta that is no text', 'shape', [created, ...beforeDone.slice(0, 2), says(1), error]],
  [
    'has arguments that are no text',
    'shape',
    [created, added(0, call('')), other(json(''), { delta: {} }), error],
  ],
  ['has an item without an id', 'shape', [created, added(0, { type: 'other' }), error]],
  ['has a call without a name', 'shape', [created, added(0, { ...call(''), name: '' }), error]],
  ['has a call without its id', 'shape', [created, added(0, { ...call(''), call_id: undefined }), error]],
  [
    'calls an item something else',
    'identity',
    [created, ...beforeDone.slice(0, 2), other(says('x'), { item_id: 'msg_2' }), error],
  ],
  [
    'gives an item another id in the end',
    'identity',
    [created, ...beforeDone, itemDone(0, { ...words, id: 'm' }), failed],
  ],
  [
    'gives a call another id in the end',
    'identity',
    [...called('{}').slice(0, 4), itemDone(0, call('{}', 'fc_1', 'b')), failed],
  ],
  ['gives two items one id', 'identity', [created, ...hello, added(1, message()), failed]],
  [
    'changes what a part is',
    'identity',
    [created, ...beforeDone.slice(0, 5), refusal('content_part.done', { part: no }), failed],
  ],
  [
    'has another text when it is done',
    'agreement',
    [created, ...beforeDone.slice(0, 4), textDone('Hell'), failed],
  ],
  ['has another text in a part', 'agreement', [created, ...beforeDone.slice(0, 5), partDone('Hell'), failed]],
  [
    'has another text in an item',
    'agreement',
    [created, ...beforeDone, itemDone(0, message([outputText('Hell')])), failed],
  ],
  [
    'has another thought in an item',
    'agreement',
    [created, ...thought.slice(0, 5), itemDone(0, reasoning('Ah')), failed],
  ],
  [
    'has other arguments when they are done',
    'agreement',
    [created, added(0, call('')), json('{'), jsonDone('{}'), failed],
  ],
  [
    'has other arguments in an item',
    'agreement',
    [...called('{}').slice(0, 4), itemDone(0, call('{ }')), failed],
  ],
  [
    'has another item in its output',
    'agreement',
    [created, ...hello, completed([message([outputText('Hell')])])],
  ],
  ['has nothing in its output', 'agreement', [created, ...hello, completed([])]],
  ['has half an object as arguments', 'arguments', [...called('{"q"'), completed([call('{"q"')])]],
  ['has nothing as arguments', 'arguments', [...called(''), completed([call('')])]],
  [
    'counts down',
    'usage',
    [other(created, { response: response('in_progress', { usage: { total_tokens: 9 } }) }), completed([])],
  ],
]

const numbered = (events: readonly Event[]): Event[] =>
  events.map((event, i) => ({ ...event, sequence_number: i }))

test('a stream of responses', async (t) => {
  for (const [what, events] of Object.entries(valid))
    await t.test(`may be ${what}`, () => {
      assert.deepEqual(llmStreamViolations('responses', named(numbered(events))), [])
    })

  for (const [what, rule, events] of wrong)
    await t.test(`is reported if it ${what}`, () => {
      const found = llmStreamViolations('responses', named(numbered(events)))
      assert.deepEqual(
        found.map((violation) => violation.rule),
        [rule],
      )
    })

  const rules = (events: readonly Event[]) =>
    llmStreamViolations('responses', named(events)).map(({ rule }) => rule)

  await t.test('is reported if its sequence numbers have gaps or repeats, begin late or are missing', () => {
    const right = numbered([created, inProgress, completed([])])
    const renumber = (...numbers: (number | undefined)[]) =>
      right.map((event, i) => ({ ...event, sequence_number: numbers[i] }))
    assert.deepEqual(rules(renumber(0, 1, 2)), [])
    assert.deepEqual(rules(renumber(0, 1, 3)), ['sequence'])
    assert.deepEqual(rules(renumber(0, 0, 1)), ['sequence'])
    assert.deepEqual(rules(renumber(1, 2, 3)), ['sequence'])
    assert.deepEqual(rules(renumber(0, undefined, 2)), ['sequence'])
  })

  await t.test(
    'is reported if the name of an event is not its type, and if it ends like another format',
    () => {
      const stream = named(numbered([created, completed([])]))
      const violations = (text: string) => llmStreamViolations('responses', text).map(({ rule }) => rule)
      assert.deepEqual(violations(stream.replace('event: response.created\n', '')), ['name'])
      assert.deepEqual(violations(`${stream}data: [DONE]\n\n`), ['framing'])
    },
  )
})
