import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LlmPromptCaching } from '../../../src/model/llm/llm-backend.ts'
import type { ChatFormat } from '../../../src/protocols/llm/format.ts'
import { ObjectMembers } from '../../../src/protocols/llm/members/object-members.ts'
import { markForCache } from '../../../src/protocols/llm/prompt-caching.ts'

const all: LlmPromptCaching = {
  cacheSystem: true,
  cacheMessages: true,
  cacheTools: true,
  minTokens: 0,
  cacheMessageOffset: 0,
}
const marked = (format: ChatFormat, body: object, policy: Partial<LlmPromptCaching> = {}): unknown => {
  const members = new ObjectMembers(structuredClone(body) as Record<string, unknown>)
  markForCache(format, members, { ...all, ...policy })
  return members.object
}

const point = { cachePoint: { type: 'default' } }
const control = { cache_control: { type: 'ephemeral' } }
const said = (...texts: string[]) => texts.map((text) => ({ text }))

test('cache points for Bedrock are behind the last tool, the system and a message', () => {
  const body = {
    system: said('Be short.'),
    messages: [
      { role: 'user', content: said('one') },
      { role: 'assistant', content: said('two') },
      { role: 'user', content: said('three', 'four') },
    ],
    toolConfig: { tools: [{ toolSpec: { name: 'f' } }], toolChoice: { auto: {} } },
  }
  const [first, second, third] = body.messages
  assert.deepEqual(marked('converse', body), {
    system: [...body.system, point],
    messages: [first, { role: 'assistant', content: [...said('two'), point] }, third],
    toolConfig: { tools: [...body.toolConfig.tools, point], toolChoice: { auto: {} } },
  })
  assert.deepEqual(
    marked('converse', body, { cacheSystem: false, cacheTools: false, cacheMessageOffset: 1 }),
    {
      ...body,
      messages: [{ role: 'user', content: [...said('one'), point] }, second, third],
    },
  )
})

test('an offset of 0 marks the last message but one, and none is before the first', () => {
  const user = (...texts: string[]) => ({ role: 'user', content: said(...texts) })
  const messages = ['one', 'two', 'three', 'four'].map((text) => user(text))
  const at = (format: ChatFormat, cacheMessageOffset: number, body: object = { messages }): number => {
    const { messages: written } = marked(format, body, { cacheMessageOffset }) as {
      readonly messages: readonly unknown[]
    }
    return written.findIndex((message) => /cachePoint|cache_control/.test(JSON.stringify(message)))
  }
  for (const format of ['converse', 'messages'] as const) {
    assert.deepEqual(
      [0, 1, 2, 3, 99].map((offset) => at(format, offset)),
      [2, 1, 0, 0, 0],
    )
    assert.equal(at(format, 0, { messages: [user('one')] }), -1)
    assert.equal(at(format, 0, { messages: [] }), -1)
  }
})

test('cache marks for Anthropic are on blocks, also if the content is plain text', () => {
  const body = {
    system: 'Be short.',
    messages: [
      { role: 'user', content: 'one' },
      { role: 'assistant', content: 'two' },
    ],
    tools: [{ name: 'a' }, { name: 'b' }],
  }
  assert.deepEqual(marked('messages', body), {
    system: [{ type: 'text', text: 'Be short.', ...control }],
    messages: [
      { role: 'user', content: [{ type: 'text', text: 'one', ...control }] },
      { role: 'assistant', content: 'two' },
    ],
    tools: [{ name: 'a' }, { name: 'b', ...control }],
  })
})

test('a short prompt, one without content at that position, and other formats are unchanged', () => {
  const last = { role: 'user', content: said('and?') }
  const body = { messages: [{ role: 'user', content: said('x'.repeat(395)) }, last] }
  assert.deepEqual(marked('converse', body, { minTokens: 1000 }), body)
  assert.notDeepEqual(marked('converse', body, { minTokens: 50 }), body)
  assert.deepEqual(marked('converse', { messages: [last] }), { messages: [last] })
  for (const format of ['completions', 'responses', 'generateContent'] as const)
    assert.deepEqual(marked(format, body), body)
})

test('the number of cache marks is limited to that of the provider, including those of the client', () => {
  const text = (text: string) => ({ type: 'text', text })
  const body = {
    system: [{ ...text('a'), ...control }, text('b')],
    messages: [
      { role: 'user', content: [{ ...text('c'), ...control }, { ...text('d'), ...control }, text('e')] },
    ],
    tools: [{ name: 'f' }],
  }
  assert.deepEqual(marked('messages', body), { ...body, tools: [{ name: 'f', ...control }] })
  assert.deepEqual(marked('messages', body, { cacheTools: false }), {
    ...body,
    system: [
      { ...text('a'), ...control },
      { ...text('b'), ...control },
    ],
  })
})

test('thinking blocks are not marked, which providers refuse', () => {
  for (const last of [
    { type: 'thinking', thinking: 'hm', signature: 's' },
    { type: 'redacted_thinking', data: 'd' },
  ]) {
    const body = {
      messages: [
        { role: 'assistant', content: [last] },
        { role: 'user', content: 'a' },
      ],
    }
    assert.deepEqual(marked('messages', body), body)
  }
})
