import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type LlmStreamRule, llmStreamViolations } from '../../../src/testing/index.ts'
import { named } from '../../support/sse-text.ts'

// Written from the types of @anthropic-ai/sdk (RawMessageStreamEvent).
type Event = Readonly<Record<string, unknown>>

const messageStart = {
  type: 'message_start',
  message: {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'claude',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: 10, cache_read_input_tokens: 4, output_tokens: 1 },
  },
}
const open = (index: number, content_block: Event): Event => ({
  type: 'content_block_start',
  index,
  content_block,
})
const delta = (index: number, given: Event): Event => ({ type: 'content_block_delta', index, delta: given })
const close = (index: number): Event => ({ type: 'content_block_stop', index })
const messageDelta = (stop_reason: string | null, output_tokens = 20, more: Event = {}): Event => ({
  type: 'message_delta',
  delta: { stop_reason, stop_sequence: null, ...more },
  usage: { output_tokens },
})
const stop = { type: 'message_stop' }
const error = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }
const ping = { type: 'ping' }

const text = { type: 'text', text: '' }
const tool = (id: string): Event => ({ type: 'tool_use', id, name: 'look_up', input: {} })
const json = (index: number, partial_json: string) => delta(index, { type: 'input_json_delta', partial_json })
const says = (index: number, said: string) => delta(index, { type: 'text_delta', text: said })

const hello = [open(0, text), says(0, 'Hel'), says(0, 'lo'), close(0)]
const call = (index: number, id: string) => [
  open(index, tool(id)),
  json(index, '{"q"'),
  json(index, ':1}'),
  close(index),
]
const thought = [
  open(0, { type: 'thinking', thinking: '', signature: '' }),
  delta(0, { type: 'thinking_delta', thinking: 'Hm' }),
  delta(0, { type: 'signature_delta', signature: 'sig' }),
  close(0),
]
const end = [messageDelta('end_turn'), stop]

const valid: Readonly<Record<string, readonly Event[]>> = {
  words: [messageStart, ping, ...hello, ...end],
  'nothing at all': [messageStart, ...end],
  'thinking, text and tools': [
    messageStart,
    ...thought,
    open(1, { type: 'redacted_thinking', data: 'xx' }),
    close(1),
    open(2, text),
    says(2, 'Hi'),
    delta(2, { type: 'citations_delta', citation: { type: 'page_location' } }),
    close(2),
    ...call(3, 'a'),
    ...call(4, 'b'),
    messageDelta('tool_use'),
    stop,
  ],
  'a tool without arguments': [messageStart, open(0, tool('a')), close(0), messageDelta('tool_use'), stop],
  'a tool that the provider runs': [
    messageStart,
    open(0, { type: 'server_tool_use', id: 'srv', name: 'web_search', input: {} }),
    json(0, '{}'),
    close(0),
    open(1, { type: 'web_search_tool_result', tool_use_id: 'srv', content: [] }),
    close(1),
    messageDelta('pause_turn'),
    stop,
  ],
  'arguments that were cut short': [
    messageStart,
    open(0, tool('a')),
    json(0, '{"q"'),
    close(0),
    messageDelta('max_tokens'),
    stop,
  ],
  'figures in several steps': [
    messageStart,
    ...hello,
    messageDelta(null, 5),
    messageDelta('end_turn', 7),
    stop,
  ],
  'a stop sequence': [
    messageStart,
    ...hello,
    messageDelta('stop_sequence', 5, { stop_sequence: '\n' }),
    stop,
  ],
  'an error at once': [error],
  'an error in the middle of a block': [messageStart, ...call(0, 'a').slice(0, 2), error],
}

const wrong: readonly (readonly [what: string, rule: LlmStreamRule, events: readonly Event[]])[] = [
  ['has no message_start', 'start', [...hello, ...end]],
  ['starts twice', 'start', [messageStart, messageStart, ...hello, ...end]],
  [
    'starts without figures',
    'shape',
    [{ ...messageStart, message: { ...messageStart.message, usage: {} } }, ...end],
  ],
  [
    'starts without an id',
    'shape',
    [{ ...messageStart, message: { ...messageStart.message, id: '' } }, ...end],
  ],
  [
    'starts with another role',
    'shape',
    [{ ...messageStart, message: { ...messageStart.message, role: 'user' } }, ...end],
  ],
  [
    'starts with content',
    'shape',
    [{ ...messageStart, message: { ...messageStart.message, content: [1] } }, ...end],
  ],
  ['opens a block in a block', 'order', [messageStart, open(0, text), open(1, text), close(1), ...end]],
  ['leaves a block open', 'order', [messageStart, open(0, text), ...end]],
  ['closes a block twice', 'order', [messageStart, ...hello, close(0), ...end]],
  ['has a delta for a closed block', 'order', [messageStart, ...hello, says(0, '!'), ...end]],
  [
    'opens a block after the reason to stop',
    'order',
    [messageStart, messageDelta('end_turn'), ...hello, stop],
  ],
  ['leaves out an index', 'index', [messageStart, ...hello, open(2, text), close(2), ...end]],
  ['begins with index 1', 'index', [messageStart, open(1, text), close(1), ...end]],
  ['puts arguments into text', 'delta', [messageStart, open(0, text), json(0, '{}'), close(0), ...end]],
  [
    'puts text into thoughts',
    'delta',
    [messageStart, ...thought.slice(0, 1), says(0, 'x'), close(0), ...end],
  ],
  ['puts text into a tool call', 'delta', [messageStart, open(0, tool('a')), says(0, 'x'), close(0), ...end]],
  [
    'adds to hidden thoughts',
    'delta',
    [messageStart, open(0, { type: 'redacted_thinking', data: 'x' }), says(0, 'x'), close(0), ...end],
  ],
  [
    'has a delta without its text',
    'shape',
    [messageStart, open(0, text), delta(0, { type: 'text_delta' }), close(0), ...end],
  ],
  [
    'has a tool call without a name',
    'shape',
    [messageStart, open(0, { ...tool('a'), name: '' }), close(0), ...end],
  ],
  ['has two tool calls of one id', 'identity', [messageStart, ...call(0, 'a'), ...call(1, 'a'), ...end]],
  [
    'has half an object as arguments',
    'arguments',
    [messageStart, open(0, tool('a')), json(0, '{"q"'), close(0), ...end],
  ],
  [
    'has a list as arguments',
    'arguments',
    [messageStart, open(0, tool('a')), json(0, '[1]'), close(0), ...end],
  ],
  [
    'has arguments twice',
    'arguments',
    [messageStart, open(0, tool('a')), json(0, '{}'), json(0, '{}'), close(0), ...end],
  ],
  [
    'counts down',
    'usage',
    [messageStart, ...hello, messageDelta(null, 5), messageDelta('end_turn', 4), stop],
  ],
  ['counts less than it began with', 'usage', [messageStart, ...hello, messageDelta('end_turn', 0), stop]],
  ['has no usage at the end', 'shape', [messageStart, { ...messageDelta('end_turn'), usage: {} }, stop]],
  ['has no reason to stop', 'finish', [messageStart, ...hello, messageDelta(null), stop]],
  ['stops for a reason of another format', 'finish', [messageStart, ...hello, messageDelta('stop'), stop]],
  [
    'stops for two reasons',
    'finish',
    [messageStart, messageDelta('end_turn'), messageDelta('max_tokens'), stop],
  ],
  [
    'waits for tools that it did not call',
    'finish',
    [messageStart, ...hello, messageDelta('tool_use'), stop],
  ],
  [
    'names a stop sequence without one',
    'finish',
    [messageStart, messageDelta('end_turn', 5, { stop_sequence: 'x' }), stop],
  ],
  ['does not end', 'end', [messageStart, ...hello, messageDelta('end_turn')]],
  ['is empty', 'end', []],
  ['ends twice', 'end', [messageStart, ...hello, ...end, stop]],
  ['goes on after an error', 'end', [messageStart, error, stop]],
  ['goes on after its end', 'end', [messageStart, ...end, error]],
  ['has an error without a message', 'shape', [{ type: 'error', error: {} }]],
  ['has an unknown event', 'known', [messageStart, { type: 'content_block_end' }, ...end]],
  ['has an unknown block', 'known', [messageStart, open(0, { type: 'words' }), close(0), ...end]],
]

test('a stream of messages', async (t) => {
  for (const [what, events] of Object.entries(valid))
    await t.test(`may be ${what}`, () => {
      assert.deepEqual(llmStreamViolations('messages', named(events)), [])
    })

  for (const [what, rule, events] of wrong)
    await t.test(`is reported if it ${what}`, () => {
      const found = llmStreamViolations('messages', named(events))
      assert.deepEqual(
        found.map((violation) => violation.rule),
        [rule],
      )
    })

  await t.test('is reported if the name of an event is not its type', () => {
    const unlike = named([messageStart, ...end]).replace('event: message_stop', 'event: message_end')
    const without = named([messageStart, ...end]).replace('event: message_start\n', '')
    for (const stream of [unlike, without])
      assert.deepEqual(
        llmStreamViolations('messages', stream).map(({ rule }) => rule),
        ['name'],
      )
  })

  await t.test('is reported with the location', () => {
    const [violation] = llmStreamViolations('messages', named([messageStart, ...hello, close(0), ...end]))
    assert.deepEqual(violation, {
      rule: 'order',
      event: 5,
      message: 'content_block_stop is for block 0, which is not open',
    })
  })
})
