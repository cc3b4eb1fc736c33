import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Part } from '../../../../src/protocols/llm/chat/parts.ts'
import type { ChatRequest } from '../../../../src/protocols/llm/chat/request.ts'
import { converse } from '../../../../src/protocols/llm/converse/codec.ts'
import { Losses } from '../../../../src/protocols/llm/dropped-fields.ts'
import { clientName } from '../../../../src/protocols/llm/members/client-field-names.ts'
import { messages } from '../../../../src/protocols/llm/messages/codec.ts'
import { plain } from '../goldens.ts'

const claude = 'anthropic.claude-sonnet-4-5'
const said: ChatRequest['turns'] = [{ role: 'user', parts: [{ type: 'text', text: 'Hi' }] }]

const written = (
  request: Partial<ChatRequest>,
): { readonly body: Record<string, unknown>; readonly losses: readonly string[] } => {
  const losses = new Losses()
  const whole: ChatRequest = {
    model: claude,
    instructions: [],
    turns: said,
    tools: [],
    stop: [],
    streaming: false,
    includeUsage: false,
    ...request,
  }
  const body = plain(converse.encodeRequest(whole, losses)) as Record<string, unknown>
  return { body, losses: losses.fields }
}

test('sends Claude a thinking budget within its token limit', () => {
  const thinking = (request: Partial<ChatRequest>): unknown =>
    written(request).body.additionalModelRequestFields
  const budget = (tokens: number): unknown => ({ thinking: { type: 'enabled', budget_tokens: tokens } })
  const efforts = { minimal: 1024, low: 1024, medium: 2048, high: 4096, xhigh: 8192, max: 16_384 } as const
  for (const [effort, tokens] of Object.entries(efforts))
    assert.deepEqual(thinking({ reasoning: { effort: effort as keyof typeof efforts } }), budget(tokens))
  assert.deepEqual(thinking({ reasoning: { effort: 'none' } }), undefined)
  assert.deepEqual(thinking({ reasoning: { budgetTokens: 10 } }), budget(1024))
  assert.deepEqual(thinking({ reasoning: { effort: 'max' }, maxTokens: 2000 }), budget(1999))
  const tooFew = written({ reasoning: { effort: 'low' }, maxTokens: 1024 })
  assert.deepEqual(tooFew.body.additionalModelRequestFields, undefined)
  assert.deepEqual(tooFew.losses, ['reasoning'])
})

test('sends other models their own thinking settings, or reports them as lost', () => {
  const gpt = written({ model: 'openai.gpt-oss-120b-1:0', reasoning: { effort: 'xhigh' }, topK: 5 })
  assert.deepEqual(gpt.body.additionalModelRequestFields, { reasoning_effort: 'high' })
  assert.deepEqual(gpt.losses, ['top_k'])
  const nova = written({ model: 'amazon.nova-pro-v1:0', reasoning: { effort: 'high' } })
  assert.deepEqual(nova.body, { messages: [{ role: 'user', content: [{ text: 'Hi' }] }] })
  assert.deepEqual(nova.losses, ['reasoning'])
})

test('drops sampling settings beside thinking, and reports it', () => {
  const thinks = written({
    reasoning: { budgetTokens: 2048 },
    temperature: 0.2,
    topP: 0.9,
    topK: 4,
    maxTokens: 9000,
  })
  assert.deepEqual(thinks.body.inferenceConfig, { maxTokens: 9000 })
  assert.deepEqual(thinks.body.additionalModelRequestFields, {
    thinking: { type: 'enabled', budget_tokens: 2048 },
  })
  assert.deepEqual(thinks.losses, ['temperature', 'top_p', 'top_k'])
  const usual = written({ reasoning: { adaptive: true }, temperature: 1 })
  assert.equal(usual.body.inferenceConfig, undefined)
  assert.deepEqual(usual.losses, [])
  const without = written({ temperature: 0.2, topP: 0.9, reasoning: { effort: 'none' } })
  assert.deepEqual(without.body.inferenceConfig, { temperature: 0.2, topP: 0.9 })
  assert.deepEqual(without.losses, [])
})

test('disables thinking for Claude where it would be refused', () => {
  const tools = [{ name: 'f', parameters: { type: 'object' } }]
  const forced = written({ tools, toolChoice: 'required', reasoning: { effort: 'high' } })
  assert.equal(forced.body.additionalModelRequestFields, undefined)
  assert.deepEqual(forced.losses, ['reasoning'])
})

test('encodes the effort of Messages clients as effort, which does not enable thinking', () => {
  const request = (more: object) =>
    messages.decodeRequest(
      {
        model: claude,
        max_tokens: 9000,
        messages: [{ role: 'user', content: 'Hi' }],
        temperature: 0.5,
        ...more,
      },
      {},
      new Losses(),
    )
  const effort = written(request({ output_config: { effort: 'medium' } }))
  assert.deepEqual(effort.body.outputConfig, { effort: 'medium' })
  assert.equal(effort.body.additionalModelRequestFields, undefined)
  assert.deepEqual(effort.body.inferenceConfig, { maxTokens: 9000, temperature: 0.5 })
  assert.deepEqual(effort.losses, [])
  const both = written(
    request({ output_config: { effort: 'low' }, thinking: { type: 'enabled', budget_tokens: 3000 } }),
  )
  assert.deepEqual(both.body.outputConfig, { effort: 'low' })
  assert.deepEqual(both.body.additionalModelRequestFields, {
    thinking: { type: 'enabled', budget_tokens: 3000 },
  })
  const nova = written({ ...request({ output_config: { effort: 'low' } }), model: 'amazon.nova-pro-v1:0' })
  assert.equal(nova.body.outputConfig, undefined)
  assert.deepEqual(nova.losses, ['reasoning.effort'])
  assert.equal(clientName('messages', 'reasoning.effort'), 'output_config.effort')
})

test('has a toolConfig if the history has tool calls and the request has no tools', () => {
  const call: Part = { type: 'toolCall', id: 'c', name: 'f', arguments: '{}' }
  const result: Part = { type: 'toolResult', id: 'c', parts: [{ type: 'text', text: 'ok' }] }
  for (const parts of [[call], [result]]) {
    const { body, losses } = written({ turns: [{ role: 'assistant', parts }] })
    const { tools } = body.toolConfig as { readonly tools: readonly { toolSpec: { name: string } }[] }
    assert.equal(tools.length, 1)
    assert.notEqual(tools[0]?.toolSpec.name, 'f')
    assert.deepEqual(losses, [])
  }
  assert.equal(written({}).body.toolConfig, undefined)
  assert.deepEqual(written({ toolChoice: 'required' }).losses, ['tool_choice'])
})

test('renames documents with the same name, and uses file extensions if the media type is not specific', () => {
  const file = (name: string | undefined, mediaType: string): Part => ({
    type: 'file',
    source: { base64: 'AA==', mediaType },
    name,
  })
  const result: Part = { type: 'toolResult', id: 'c', parts: [file('a.pdf', 'application/pdf') as never] }
  const { body, losses } = written({
    turns: [
      {
        role: 'user',
        parts: [
          file('a.pdf', 'application/pdf'),
          file('a.pdf', 'application/octet-stream'),
          file('A,PDF', 'application/pdf'),
          result,
          file('notes.md', 'binary/octet-stream'),
          file('sheet.XLSX', ''),
          file(undefined, 'Text/Plain; charset=utf-8'),
          file('document-7', 'text/csv'),
          file('picture.png', 'application/octet-stream'),
        ],
      },
    ],
  })
  const found = (JSON.stringify(body).match(/"format":"\w+","name":"[^"]+"/g) ?? []).map((one) =>
    one.replaceAll(/"(?:format|name)":|"/g, ''),
  )
  assert.deepEqual(found, [
    'pdf,a-pdf',
    'pdf,a-pdf (2)',
    'pdf,A-PDF (3)',
    'pdf,a-pdf (4)',
    'md,notes-md',
    'xlsx,sheet-XLSX',
    'txt,document-7',
    'csv,document-7 (2)',
  ])
  assert.deepEqual(losses, ['file.source'])
  const long = written({ turns: [{ role: 'user', parts: [file('x'.repeat(400), 'application/pdf')] }] })
  assert.match(JSON.stringify(long.body), /"name":"x{100,200}"/)
})

test('drops tools for the choice none, unless the conversation has used them', () => {
  const tools = [{ name: 'f', parameters: { type: 'object' } }]
  const unused = written({ tools, toolChoice: 'none' })
  assert.equal(unused.body.toolConfig, undefined)
  assert.deepEqual(unused.losses, [])
  const call: Part = { type: 'toolCall', id: 'c', name: 'f', arguments: '{}' }
  const used = written({ tools, toolChoice: 'none', turns: [...said, { role: 'assistant', parts: [call] }] })
  assert.deepEqual(used.body.toolConfig, {
    tools: [{ toolSpec: { name: 'f', inputSchema: { json: { type: 'object' } } } }],
  })
  assert.deepEqual(used.losses, ['tool_choice'])
})

test('reports unsupported fields', () => {
  const { losses } = written({
    turns: [
      {
        role: 'user',
        parts: [
          { type: 'image', source: { url: 'https://a.test/a.png' }, detail: 'high' },
          { type: 'image', source: { base64: '', mediaType: 'image/tiff' } },
          { type: 'file', source: { fileId: 'f' } },
        ],
      },
      { role: 'assistant', parts: [{ type: 'thinking', text: 'unsigned' }] },
    ],
    output: { type: 'json' },
    seed: 1,
    frequencyPenalty: 1,
    presencePenalty: 1,
    parallelTools: false,
    user: 'u',
    serviceTier: 'scale',
  })
  assert.deepEqual(losses, [
    'image.detail',
    'image.source',
    'file.source',
    'thinking',
    'response_format',
    'service_tier',
    'seed',
    'frequency_penalty',
    'presence_penalty',
    'parallel_tool_calls',
    'user',
  ])
})

test('joins consecutive turns of one role, drops blank texts, and keeps empty results', () => {
  const { body } = written({
    turns: [
      ...said,
      { role: 'user', parts: [{ type: 'text', text: ' \n' }] },
      { role: 'assistant', parts: [{ type: 'text', text: '' }] },
      { role: 'user', parts: [{ type: 'toolResult', id: 'c', parts: [] }] },
      {
        role: 'user',
        parts: [
          { type: 'file', source: { base64: 'AA==', mediaType: 'application/pdf' }, name: 'a_b.pdf  (1)' },
          { type: 'file', source: { base64: 'AA==', mediaType: 'text/plain;charset=utf-8' } },
        ],
      },
    ],
  })
  assert.deepEqual(body.messages, [
    {
      role: 'user',
      content: [
        { text: 'Hi' },
        { toolResult: { toolUseId: 'c', content: [{ text: ' ' }] } },
        { document: { format: 'pdf', name: 'a-b-pdf (1)', source: { bytes: 'AA==' } } },
        { document: { format: 'txt', name: 'document-2', source: { bytes: 'AA==' } } },
      ],
    },
  ])
})

test('decodes and encodes errors', () => {
  const read = (status: number, body: unknown): unknown => plain(converse.decodeError(status, body))
  assert.deepEqual(read(429, { message: 'slow down' }), { status: 429, message: 'slow down' })
  assert.deepEqual(read(400, { __type: 'com.amazon.coral.service#ValidationException', Message: 'no' }), {
    status: 400,
    message: 'no',
    code: 'ValidationException',
  })
  for (const body of [undefined, null, [], 'x', { message: 1 }])
    assert.deepEqual(read(503, body), { status: 503, message: 'the provider answered with status 503' })
  const kinds = [
    [400, 'ValidationException'],
    [401, 'AccessDeniedException'],
    [404, 'ResourceNotFoundException'],
    [429, 'ThrottlingException'],
    [500, 'InternalServerException'],
    [503, 'ServiceUnavailableException'],
  ] as const
  for (const [status, kind] of kinds)
    assert.deepEqual(converse.encodeError({ status, message: 'm' }), { __type: kind, message: 'm' })
})
