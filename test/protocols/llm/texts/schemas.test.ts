import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonObject } from '../../../../src/protocols/json/json-object.ts'
import { requestTexts, type RequestTextFormat } from '../../../../src/protocols/llm/texts/extract-texts.ts'

const shown = (format: RequestTextFormat, body: JsonObject) =>
  requestTexts(format, body).map(({ role, scope, text }) => `${role} ${scope} ${text}`)

const schema = {
  type: 'object',
  title: 'one',
  properties: {
    type: { type: 'string', description: 'two', enum: ['three', 'four'], format: 'no-text' },
    enum: { type: 'integer', const: 4111111111111111, maximum: 9007199254740991 },
    title: { anyOf: [{ $ref: '#/$defs/no-text' }, { const: 'five' }], default: { in: ['six'] } },
  },
  required: ['type'],
  $defs: { 'no-text': { items: [{ Description: 'seven' }], pattern: '^eight$' } },
  'x-unheard-of': { words: 'nine' },
}

const said = ['one', 'two', 'three', 'four', '4111111111111111', 'five', 'six', 'seven', '^eight$', 'nine']

test('texts of schemas', async (t) => {
  await t.test('are checked wherever a schema may be', () => {
    const places: readonly (readonly [RequestTextFormat, JsonObject])[] = [
      ['completions', { tools: [{ type: 'function', function: { name: 'f', parameters: schema } }] }],
      ['completions', { functions: [{ name: 'f', parameters: schema }] }],
      ['completions', { response_format: { json_schema: { name: 'a', schema } } }],
      ['completions', { Tools: [{ Function: { Parameters: schema } }] }],
      ['messages', { tools: [{ name: 'f', input_schema: schema }] }],
      ['messages', { output_config: { format: { type: 'json_schema', schema } } }],
      ['messages', { output_format: { type: 'json_schema', schema } }],
      ['responses', { tools: [{ type: 'function', name: 'f', parameters: schema }] }],
      ['responses', { tools: [{ type: 'namespace', tools: [{ name: 'f', parameters: schema }] }] }],
      ['responses', { text: { format: { type: 'json_schema', name: 'a', schema } } }],
      ['responses', { input: [{ type: 'mcp_list_tools', tools: [{ name: 'f', input_schema: schema }] }] }],
      ['generateContent', { tools: [{ functionDeclarations: [{ name: 'f', parameters: schema }] }] }],
      ['generateContent', { tools: [{ functionDeclarations: [{ parametersJsonSchema: schema }] }] }],
      ['generateContent', { tools: [{ function_declarations: [{ parameters_json_schema: schema }] }] }],
      ['generateContent', { tools: [{ functionDeclarations: [{ response: schema }] }] }],
      ['generateContent', { generationConfig: { responseSchema: schema } }],
      ['generateContent', { generationConfig: { responseJsonSchema: schema } }],
      ['generateContent', { generation_config: { response_schema: schema } }],
      ['converse', { toolConfig: { tools: [{ toolSpec: { name: 'f', inputSchema: { json: schema } } }] } }],
      ['converse', { additionalModelRequestFields: { tools: [{ name: 'f', input_schema: schema }] } }],
      ['converse', inConverse(JSON.stringify(schema))],
      ['invoke', { output_config: { format: { schema } } }],
    ]
    for (const [format, body] of places) {
      assert.deepEqual(
        shown(format, body),
        said.map((text) => `system systemPrompt ${text}`),
        JSON.stringify(body).slice(0, 80),
      )
    }
  })

  await t.test('are in wire order, without moving other texts', () => {
    const talk = { system: 'first', messages: [{ role: 'user', content: 'second' }] }
    const before = ['system systemPrompt first', 'user messages second']
    assert.deepEqual(shown('messages', talk), before)
    const tools = [
      { name: 'f', description: 'third', input_schema: { properties: { a: { title: 'fourth' } } } },
    ]
    assert.deepEqual(shown('messages', { ...talk, tools }), [
      ...before,
      'system systemPrompt third',
      'system systemPrompt fourth',
    ])
    // Except the text of the system, which comes first.
    assert.deepEqual(shown('messages', { tools, ...talk }), [
      'system systemPrompt first',
      'system systemPrompt third',
      'system systemPrompt fourth',
      'user messages second',
    ])
  })

  await t.test('are changed in place, also in a schema that is encoded as text', () => {
    const body = inConverse(JSON.stringify(schema))
    for (const slot of requestTexts('converse', body)) if (slot.text === 'four') slot.set('<masked>')
    assert.deepEqual(body, inConverse(JSON.stringify(schema).replace('four', '<masked>')))
  })

  await t.test('are one text if an encoded schema is ambiguous or invalid', () => {
    for (const written of ['{"title":"a","title":"b"}', '{"title":', '["a"]', 'a']) {
      const body = inConverse(written)
      assert.deepEqual(shown('converse', body), [`system systemPrompt ${written}`])
      requestTexts('converse', body)[0]?.set('<masked>')
      assert.deepEqual(body, inConverse('<masked>'))
    }
  })

  await t.test('are found at the position of an invalid schema', () => {
    const parameters = { properties: { a: 'one' }, items: 'two', description: { title: 'three' }, $defs: 4 }
    assert.deepEqual(shown('messages', { tools: [{ input_schema: parameters }] }), [
      'system systemPrompt one',
      'system systemPrompt two',
      'system systemPrompt three',
    ])
  })
})

const inConverse = (schema: string) => ({
  outputConfig: { textFormat: { type: 'json_schema', structure: { jsonSchema: { name: 'a', schema } } } },
})
