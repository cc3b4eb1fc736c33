import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type LlmStreamRule, llmStreamViolations } from '../../../src/testing/index.ts'
import { unnamed } from '../../support/sse-text.ts'

// Written from the types of openai (ChatCompletionChunk).
type Chunk = Readonly<Record<string, unknown>> | string

const head = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'gpt' }
const chunk = (delta: object, finish_reason: string | null = null, index = 0): Exclude<Chunk, string> => ({
  ...head,
  choices: [{ index, delta, finish_reason, logprobs: null }],
})
const usage = (prompt_tokens: number, completion_tokens: number, details: object = {}): Chunk => ({
  ...head,
  choices: [],
  usage: { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens, ...details },
})
const tool = (index: number, more: object, type: string | undefined = 'function') =>
  chunk({ tool_calls: [{ index, type, ...more }] })
const begins = (index: number, id: string, text = '') =>
  tool(index, { id, function: { name: 'look_up', arguments: text } })
const goesOn = (index: number, text: string) => tool(index, { function: { arguments: text } }, undefined)

const role = chunk({ role: 'assistant', content: '', refusal: null })
const hello = [role, chunk({ content: 'Hel' }), chunk({ content: 'lo' })]
const stop = chunk({}, 'stop')
const calls = chunk({}, 'tool_calls')
const done = '[DONE]'
const error = { error: { message: 'Overloaded', type: 'server_error', param: null, code: null } }

const valid: Readonly<Record<string, readonly Chunk[]>> = {
  words: [...hello, stop, done],
  'text with usage': [...hello, stop, usage(3, 2), done],
  'figures in every chunk': [
    { ...role, usage: null },
    { ...stop, usage: { total_tokens: 4 } },
    usage(3, 2),
    done,
  ],
  'a refusal': [role, chunk({ refusal: 'No' }), stop, done],
  thoughts: [role, chunk({ reasoning_content: 'Hm' }), chunk({ content: 'Yes' }), stop, done],
  'all in one chunk': [chunk({ role: 'assistant', content: 'Hello' }, 'stop'), done],
  'tool calls that overlap': [
    role,
    begins(0, 'a'),
    begins(1, 'b'),
    goesOn(0, '{"q"'),
    goesOn(1, '{}'),
    goesOn(0, ':1}'),
    calls,
    done,
  ],
  'a tool call that repeats its id and name': [role, begins(0, 'a', '{'), begins(0, 'a', '}'), calls, done],
  'arguments that were cut short': [role, begins(0, 'a', '{"q"'), chunk({}, 'length'), done],
  'two choices': [role, chunk({ role: 'assistant' }, null, 1), stop, chunk({}, 'stop', 1), done],
  'an error at once': [error],
  'an error in the middle of a tool call': [role, begins(0, 'a', '{'), error],
}

const wrong: readonly (readonly [what: string, rule: LlmStreamRule, chunks: readonly Chunk[]])[] = [
  ['has no [DONE]', 'end', [...hello, stop]],
  ['is empty', 'end', []],
  ['has [DONE] twice', 'end', [...hello, stop, done, done]],
  ['goes on after [DONE]', 'end', [...hello, stop, done, usage(1, 1)]],
  ['has [DONE] after an error', 'end', [...hello, error, done]],
  ['goes on after an error', 'end', [...hello, error, stop]],
  ['has no choice', 'start', [done]],
  ['begins without its role', 'start', [chunk({ content: 'Hi' }), stop, done]],
  [
    'has a second choice without its role',
    'start',
    [...hello, chunk({ content: 'Hi' }, 'stop', 1), stop, done],
  ],
  ['begins twice', 'start', [role, role, stop, done]],
  ['has no reason to stop', 'finish', [...hello, done]],
  ['has two reasons to stop', 'finish', [...hello, stop, stop, done]],
  ['goes on after its reason to stop', 'finish', [...hello, stop, chunk({ content: '!' }), done]],
  ['stops for a reason of another format', 'finish', [...hello, chunk({}, 'end_turn'), done]],
  ['waits for tools that it did not call', 'finish', [...hello, calls, done]],
  ['changes its id', 'identity', [...hello, { ...stop, id: 'chatcmpl-2' }, done]],
  ['changes its model', 'identity', [...hello, { ...stop, model: 'other' }, done]],
  ['changes its time', 'identity', [...hello, { ...stop, created: 2 }, done]],
  [
    'changes the id of a tool call',
    'identity',
    [role, begins(0, 'a', '{'), begins(0, 'b', '}'), calls, done],
  ],
  [
    'has two tool calls of one id',
    'identity',
    [role, begins(0, 'a', '{}'), begins(1, 'a', '{}'), calls, done],
  ],
  [
    'changes the name of a tool call',
    'identity',
    [role, begins(0, 'a', '{}'), tool(0, { function: { name: 'other' } }), calls, done],
  ],
  ['leaves out a tool call', 'index', [role, begins(0, 'a', '{}'), begins(2, 'b', '{}'), calls, done]],
  ['leaves out a choice', 'index', [...hello, chunk({ role: 'assistant' }, 'stop', 2), stop, done]],
  [
    'has a tool call without an id',
    'shape',
    [role, tool(0, { function: { name: 'f', arguments: '{}' } }), calls, done],
  ],
  [
    'has a tool call without a name',
    'shape',
    [role, tool(0, { id: 'a', function: { arguments: '{}' } }), calls, done],
  ],
  [
    'has a tool call of no type',
    'delta',
    [
      role,
      { ...chunk({ tool_calls: [{ index: 0, id: 'a', function: { name: 'f', arguments: '{}' } }] }) },
      calls,
      done,
    ],
  ],
  [
    'has arguments that are no text',
    'delta',
    [role, begins(0, 'a', '{}'), tool(0, { function: { arguments: {} } }), calls, done],
  ],
  ['has content that is no text', 'delta', [role, chunk({ content: [{ type: 'text' }] }), stop, done]],
  [
    'has a choice without a delta',
    'shape',
    [role, { ...head, choices: [{ index: 0, finish_reason: 'stop' }] }, done],
  ],
  ['has no list of choices', 'shape', [...hello, { ...head }, stop, done]],
  [
    'has a chunk that is called something else',
    'shape',
    [{ ...role, object: 'chat.completion' }, stop, done],
  ],
  ['has half an object as arguments', 'arguments', [role, begins(0, 'a', '{"q"'), calls, done]],
  ['has nothing as arguments', 'arguments', [role, begins(0, 'a'), calls, done]],
  ['has text as arguments', 'arguments', [role, begins(0, 'a', '"q"'), stop, done]],
  ['counts down', 'usage', [...hello, { ...stop, usage: { prompt_tokens: 4 } }, usage(3, 2), done]],
  [
    'counts down in its details',
    'usage',
    [
      ...hello,
      stop,
      usage(1, 1, { d: { cached_tokens: 2 } }),
      usage(1, 1, { d: { cached_tokens: 1 } }),
      done,
    ],
  ],
  ['has figures that are no object', 'shape', [...hello, { ...stop, usage: 4 }, done]],
  ['has an error without a message', 'shape', [{ error: {} }]],
  ['contains invalid JSON', 'framing', [...hello, '{"id":', stop, done]],
  ['contains JSON that is not an object', 'framing', [...hello, '[]', stop, done]],
]

test('a stream of completions', async (t) => {
  for (const [what, chunks] of Object.entries(valid))
    await t.test(`may be ${what}`, () => {
      assert.deepEqual(llmStreamViolations('completions', unnamed(chunks)), [])
    })

  for (const [what, rule, chunks] of wrong)
    await t.test(`is reported if it ${what}`, () => {
      const found = llmStreamViolations('completions', unnamed(chunks))
      assert.deepEqual(
        found.map((violation) => violation.rule),
        [rule],
      )
    })

  await t.test('is reported if a chunk has no id, time and model', () => {
    const found = llmStreamViolations('completions', unnamed([{ ...role, id: '', created: null, model: 3 }]))
    assert.deepEqual(
      found.map(({ message }) => message),
      [
        'id is missing',
        'created is not a number',
        'model is missing',
        'there is neither [DONE] nor an error',
      ],
    )
  })

  await t.test('is reported if a chunk has a name, except an error', () => {
    const rules = (stream: string) => llmStreamViolations('completions', stream).map(({ rule }) => rule)
    assert.deepEqual(rules(`event: chunk\n${unnamed([...hello, stop, done])}`), ['name'])
    assert.deepEqual(rules(`event: error\n${unnamed([error])}`), [])
  })
})
