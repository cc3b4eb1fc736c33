import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonObject } from '../../../../src/protocols/json/json-object.ts'
import { BadRequest } from '../../../../src/protocols/llm/chat/codec.ts'
import type { Part } from '../../../../src/protocols/llm/chat/parts.ts'
import type { ChatRequest, Turn } from '../../../../src/protocols/llm/chat/request.ts'
import { Losses } from '../../../../src/protocols/llm/dropped-fields.ts'
import { messages } from '../../../../src/protocols/llm/messages/codec.ts'
import { asJson, goldens } from './golden.ts'

const request = (given: Partial<ChatRequest>): ChatRequest => ({
  model: 'm',
  instructions: [],
  turns: [],
  tools: [],
  stop: [],
  streaming: false,
  includeUsage: false,
  ...given,
})

const encoded = (given: Partial<ChatRequest>): [body: JsonObject, losses: readonly string[]] => {
  const losses = new Losses()
  const body = messages.encodeRequest(request(given), losses)
  return [asJson(body) as JsonObject, losses.fields]
}

const user = (...parts: Part[]): Turn => ({ role: 'user', parts })
const assistant = (...parts: Part[]): Turn => ({ role: 'assistant', parts })
const text = (words: string): Part => ({ type: 'text', text: words })
const call = (id: string, args = '{}'): Part => ({ type: 'toolCall', id, name: 'f', arguments: args })
const result = (id: string): Part => ({ type: 'toolResult', id, parts: [] })
const tools = [{ name: 'f', parameters: {} }]

test('golden requests of Messages', async (t) => {
  for (const golden of goldens('requests')) {
    await t.test(`decodes ${golden.name}`, () => {
      const losses = new Losses()
      const given = structuredClone(golden.wire)
      assert.deepEqual(asJson(messages.decodeRequest(given, {}, losses)), golden.common)
      assert.deepEqual(losses.fields, golden.losses)
      assert.deepEqual(given, golden.wire, 'what was read has not changed')
    })
    await t.test(`encodes ${golden.name}`, () => {
      const [body, losses] = encoded(golden.common)
      assert.deepEqual(body, golden.written ?? golden.wire)
      assert.deepEqual(losses, golden.writtenLosses ?? [])
    })
  }
})

test('decoding a request', async (t) => {
  const read = (body: JsonObject, place = {}): ChatRequest =>
    messages.decodeRequest({ model: 'm', max_tokens: 1, messages: [], ...body }, place, new Losses())

  await t.test('uses model and streaming of the path if it has them', () => {
    const { model, streaming } = messages.decodeRequest(
      { anthropic_version: 'vertex-2023-10-16', max_tokens: 1, messages: [] },
      { model: 'claude-x', streaming: true },
      new Losses(),
    )
    assert.deepEqual([model, streaming], ['claude-x', true])
  })

  await t.test('treats thinking with an empty signature as unsigned', () => {
    const content = [{ type: 'thinking', thinking: 'a', signature: '' }]
    const { turns } = read({ messages: [{ role: 'assistant', content }] })
    assert.deepEqual(turns[0]?.parts, [{ type: 'thinking', text: 'a' }])
  })

  await t.test('treats the schema of any object as JSON without a schema', () => {
    const format = { type: 'json_schema', schema: { type: 'object' } }
    assert.deepEqual(read({ output_config: { format } }).output, { type: 'json' })
    assert.deepEqual(read({ output_format: format }).output, { type: 'json' })
  })

  await t.test('maps every tool choice', () => {
    const choices = [{ type: 'auto' }, { type: 'any' }, { type: 'none' }, { type: 'tool', name: 'f' }]
    assert.deepEqual(
      choices.map((tool_choice) => read({ tool_choice }).toolChoice),
      ['auto', 'required', 'none', { tool: 'f' }],
    )
    assert.equal(
      read({ tool_choice: { type: 'auto', disable_parallel_tool_use: false } }).parallelTools,
      true,
    )
  })

  await t.test('reads whether thinking is shown, or disabled', () => {
    const thinking = { type: 'enabled', budget_tokens: 2000 }
    assert.deepEqual(read({ thinking }).reasoning, { budgetTokens: 2000, visible: true })
    assert.deepEqual(read({ thinking: { type: 'disabled' } }).reasoning, { effort: 'none' })
    assert.deepEqual(read({ output_config: { effort: 'low' } }).reasoning, {
      effort: 'low',
      thinks: false,
    })
  })

  await t.test('reports a cache mark at an invalid position', () => {
    const losses = new Losses()
    const body = { model: 'm', messages: [], cache_control: { type: 'ephemeral' } }
    messages.decodeRequest(body, {}, losses)
    assert.deepEqual(losses.fields, ['cache_control'])
  })

  await t.test('refuses an invalid value with its path', () => {
    const content = (...blocks: unknown[]) => ({ messages: [{ role: 'user', content: blocks }] })
    const wrong: [JsonObject, string][] = [
      [{ model: undefined }, 'model is missing'],
      [{ model: 5 }, 'model must be a string'],
      [{ messages: undefined }, 'messages is missing'],
      [{ messages: {} }, 'messages must be a list'],
      [{ messages: [null] }, 'messages[0] must be an object'],
      [{ messages: [{ content: 'a' }] }, 'messages[0].role is missing'],
      [{ messages: [{ role: 'tool', content: 'a' }] }, 'messages[0].role must be one of'],
      [{ messages: [{ role: 'user' }] }, 'messages[0].content is missing'],
      [{ messages: [{ role: 'user', content: 1 }] }, 'messages[0].content must be a text or a list'],
      [content('a'), 'messages[0].content[0] must be an object'],
      [content({}), 'messages[0].content[0].type is missing'],
      [content({ type: 'text' }), 'messages[0].content[0].text is missing'],
      [
        content({ type: 'text', text: 'a', cache_control: 1 }),
        'messages[0].content[0].cache_control must be',
      ],
      [
        content({ type: 'text', text: 'a', cache_control: {} }),
        'messages[0].content[0].cache_control.type must',
      ],
      [content({ type: 'image' }), 'messages[0].content[0].source is missing'],
      [
        content({ type: 'image', source: { type: 'x' } }),
        'messages[0].content[0].source.type must be one of',
      ],
      [content({ type: 'image', source: { type: 'content' } }), 'messages[0].content[0].source.type must be'],
      [
        content({ type: 'tool_use', id: 'a', name: 'b', input: [] }),
        'messages[0].content[0].input must be an',
      ],
      [content({ type: 'tool_result', content: 'a' }), 'messages[0].content[0].tool_use_id is missing'],
      [
        content({ type: 'tool_result', tool_use_id: 'a', content: [{ type: 'image' }] }),
        'messages[0].content[0].content[0].source is missing',
      ],
      [{ system: 1 }, 'system must be a list'],
      [{ system: [{ type: 'image' }] }, 'system[0].type must be "text"'],
      [{ tools: {} }, 'tools must be a list'],
      [{ tools: [{ name: 'a' }] }, 'tools[0].input_schema is missing'],
      [{ tool_choice: 'auto' }, 'tool_choice must be an object'],
      [{ tool_choice: { type: 'function' } }, 'tool_choice.type must be one of'],
      [{ max_tokens: '1' }, 'max_tokens must be a number'],
      [{ temperature: [] }, 'temperature must be a number'],
      [{ max_tokens: Infinity }, 'max_tokens must be a number'],
      [{ stream: 'yes' }, 'stream must be a boolean'],
      [{ stop_sequences: ['a', 1] }, 'stop_sequences[1] must be a string'],
      [{ thinking: { type: 'enabled' } }, 'thinking.budget_tokens is missing'],
      [{ thinking: { type: 'x' } }, 'thinking.type must be one of'],
      [{ output_config: { effort: 'huge' } }, 'output_config.effort must be one of'],
      [{ output_config: { format: { type: 'x' } } }, 'output_config.format.type must be'],
      [{ metadata: 'me' }, 'metadata must be an object'],
    ]
    for (const [body, message] of wrong)
      assert.throws(
        () => read(body),
        (thrown) => {
          assert.ok(thrown instanceof BadRequest, message)
          assert.ok(thrown.message.startsWith(message), `${thrown.message} begins with ${message}`)
          return true
        },
      )
  })
})

test('encoding a request', async (t) => {
  await t.test('requests 4096 tokens by default', () => {
    assert.equal(encoded({})[0].max_tokens, 4096)
  })

  await t.test('joins system texts with line breaks, and consecutive turns of one role', () => {
    const [body] = encoded({
      instructions: [
        { type: 'text', text: 'a' },
        { type: 'text', text: '' },
        { type: 'text', text: 'b' },
      ],
      turns: [user(text('1')), user(text('2')), assistant(text('')), user(text('3'))],
    })
    assert.equal(body.system, 'a\nb')
    assert.deepEqual(body.messages, [
      { role: 'user', content: ['1', '2', '3'].map((words) => ({ type: 'text', text: words })) },
    ])
  })

  await t.test('keeps the order of a conversation that the assistant begins', () => {
    const [body] = encoded({ turns: [assistant(text('a')), user(text('b'))] })
    assert.deepEqual(body.messages, [
      { role: 'assistant', content: 'a' },
      { role: 'user', content: 'b' },
    ])
  })

  await t.test('puts the results of tools before other content of the user', () => {
    const [body] = encoded({
      turns: [assistant(call('a'), call('b')), user(result('a')), user(text('and')), user(result('b'))],
    })
    assert.deepEqual((body.messages as JsonObject[])[1], {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'a' },
        { type: 'tool_result', tool_use_id: 'b' },
        { type: 'text', text: 'and' },
      ],
    })
  })

  await t.test('reports unsupported fields', () => {
    const [body, losses] = encoded({
      seed: 1,
      frequencyPenalty: 0.1,
      presencePenalty: 0.1,
      serviceTier: 'flex',
      toolChoice: 'required',
      temperature: 1.5,
      stop: [' ', 'x'],
      output: { type: 'schema', schema: {}, name: 'n', description: 'd', strict: false },
      turns: [
        user(
          { type: 'audio', base64: '', format: 'wav' },
          { type: 'image', source: { url: 'u' }, detail: 'low' },
        ),
        assistant({ type: 'thinking', text: 'mine' }, { type: 'refusal', text: 'no' }),
        assistant({ ...call('a'), signature: 's' } as Part),
      ],
    })
    assert.deepEqual(losses, [
      'seed',
      'frequency_penalty',
      'presence_penalty',
      'messages.audio',
      'messages.image.detail',
      'messages.thinking',
      'messages.refusal',
      'messages.tool_calls.signature',
      'tool_choice',
      'temperature',
      'stop',
      'response_format.name',
      'response_format.description',
      'response_format.strict',
      'service_tier',
    ])
    assert.deepEqual([body.temperature, body.stop_sequences, body.service_tier], [1, ['x'], undefined])
  })

  await t.test('disables parallel tool calls', () => {
    assert.deepEqual(encoded({ tools, parallelTools: false })[0].tool_choice, {
      type: 'auto',
      disable_parallel_tool_use: true,
    })
    assert.deepEqual(encoded({ tools, parallelTools: false, toolChoice: 'none' })[0].tool_choice, {
      type: 'none',
    })
    assert.deepEqual(encoded({ tools, toolChoice: { tool: 'f' } })[0].tool_choice, {
      type: 'tool',
      name: 'f',
    })
    assert.equal(encoded({ parallelTools: false, toolChoice: 'auto' })[0].tool_choice, undefined)
  })

  await t.test('adds the type object to a schema without a type', () => {
    assert.deepEqual(encoded({ tools })[0].tools, [{ name: 'f', input_schema: { type: 'object' } }])
  })

  await t.test('creates ids that Anthropic accepts, the same for a call and its result', () => {
    const [body, losses] = encoded({ turns: [assistant(call('f.g:0')), user(result('f.g:0'))] })
    assert.deepEqual(body.messages, [
      { role: 'assistant', content: [{ type: 'tool_use', id: 'f_g_0', name: 'f', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'f_g_0' }] },
    ])
    assert.deepEqual(losses, ['messages.tool_calls.id'])
  })

  await t.test('encodes absent arguments as an empty object, and refuses invalid ones', () => {
    assert.deepEqual(encoded({ turns: [assistant(call('a', ''))] })[1], [])
    const deep = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`
    for (const args of ['[]', '{"a":', 'null', '1', deep])
      assert.throws(() => encoded({ turns: [assistant(call('a', args))] }), BadRequest)
  })

  await t.test('encodes image files as images, and text files as texts', () => {
    const file = (mediaType: string): Part => ({ type: 'file', source: { base64: 'YWI=', mediaType } })
    const [body] = encoded({
      turns: [user(file('image/png'), file('text/markdown'), file('application/pdf'))],
    })
    assert.deepEqual((body.messages as { content: JsonObject[] }[])[0]?.content, [
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'YWI=' } },
      { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'ab' } },
      { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'YWI=' } },
    ])
  })

  await t.test('requests JSON if any object is accepted', () => {
    assert.deepEqual(encoded({ output: { type: 'json' } })[0].output_config, {
      format: { type: 'json_schema', schema: { type: 'object' } },
    })
  })

  await t.test('encodes service tiers', () => {
    const tiers = ['auto', 'priority', 'default'].map(
      (serviceTier) => encoded({ serviceTier })[0].service_tier,
    )
    assert.deepEqual(tiers, ['auto', 'auto', 'standard_only'])
  })
})

test('encoding thinking settings', async (t) => {
  const thinking = (given: Partial<ChatRequest>) => encoded({ maxTokens: 100_000, ...given })[0].thinking

  await t.test('converts every effort to a budget', () => {
    const budgets = (['minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const).map(
      (effort) => (thinking({ reasoning: { effort } }) as JsonObject).budget_tokens,
    )
    assert.deepEqual(budgets, [1024, 1024, 2048, 4096, 8192, 16384])
    assert.deepEqual(thinking({ reasoning: { effort: 'none' } }), { type: 'disabled' })
  })

  await t.test('keeps a budget between 1024 and the token limit', () => {
    const budget = (budgetTokens: number, maxTokens: number) =>
      (thinking({ reasoning: { budgetTokens }, maxTokens }) as JsonObject).budget_tokens
    assert.deepEqual([budget(5, 5000), budget(9000, 5000), budget(9000, 1025)], [1024, 4999, 1024])
  })

  await t.test('disables thinking if the token limit is too small', () => {
    const [body, losses] = encoded({ reasoning: { effort: 'low' }, maxTokens: 1024, temperature: 0.5 })
    assert.deepEqual(
      [body.thinking, body.max_tokens, body.temperature, losses],
      [undefined, 1024, 0.5, ['reasoning']],
    )
  })

  await t.test('disables thinking if a tool must be called', () => {
    const given = { reasoning: { effort: 'low' }, maxTokens: 9000, tools } as const
    assert.deepEqual(encoded({ ...given, toolChoice: 'required' })[1], ['reasoning'])
    assert.deepEqual(encoded({ ...given, toolChoice: 'auto' })[1], [])
  })

  await t.test('disables thinking if the thinking before a tool call is missing', () => {
    const given = { reasoning: { effort: 'low' }, maxTokens: 9000, tools } as const
    const own: Part = { type: 'thinking', text: 'a', signature: 's' }
    const turns = [user(text('q')), assistant(call('a')), user(result('a'))]
    assert.deepEqual(encoded({ ...given, turns })[1], ['reasoning'])
    assert.deepEqual(
      encoded({ ...given, turns: [user(text('q')), assistant(own, call('a')), user(result('a'))] })[1],
      [],
    )
    assert.deepEqual(
      encoded({ ...given, turns: [...turns, assistant(text('done')), user(text('q2'))] })[1],
      [],
    )
  })

  await t.test('drops sampling settings that conflict with thinking', () => {
    const [body, losses] = encoded({
      reasoning: { adaptive: true, effort: 'minimal' },
      temperature: 0.5,
      topK: 3,
      topP: 0.5,
    })
    assert.deepEqual(losses, ['temperature', 'top_p', 'top_k'])
    assert.deepEqual(body, {
      model: 'm',
      max_tokens: 4096,
      messages: [],
      thinking: { type: 'adaptive' },
      output_config: { effort: 'low' },
    })
    assert.deepEqual(encoded({ reasoning: { adaptive: true }, temperature: 1, topP: 0.95 })[1], [])
  })
})
