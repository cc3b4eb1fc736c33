import type { Transcribed } from './play-transcript.ts'
import { redDot } from './red-dot.ts'

/** A request with a text at every position of its format: `@name@` stands for each. */
export interface RichRequest {
  readonly path: (model: string, stream?: boolean) => string
  readonly body: object
  /** Whether the model's name is in the body. */
  readonly isPlaced?: boolean
}

/** Inserts texts at the positions of a body. */
export const fill = (body: object, text: (place: string) => string): object =>
  JSON.parse(JSON.stringify(body).replace(PLACE, (_, place: string) => text(place))) as object

/** The names of the positions of a body. */
export const locationsIn = (body: object): readonly string[] =>
  [...JSON.stringify(body).matchAll(PLACE)].map(([, place = '']) => place)

type GuardedFormat = Transcribed | 'embeddings' | 'rerank'

const PLACE = /@(\w+)@/g

/** With a text at every position that a model reads, and structure that must not change. */
const schemaOf = (what: string) => ({
  type: 'object',
  title: `@${what}Title@`,
  properties: {
    q: { type: 'string', description: `@${what}Property@`, enum: [`@${what}Choice@`, 'other'] },
    // A property, not a keyword.
    type: { type: 'string', const: `@${what}Const@`, pattern: `@${what}Pattern@` },
    description: {
      type: 'array',
      items: { anyOf: [{ type: 'string', default: `@${what}Default@` }, { $ref: '#/$defs/town' }] },
      examples: [[`@${what}Example@`]],
    },
  },
  required: ['q'],
  additionalProperties: false,
  $defs: { town: { type: 'object', properties: { in: { type: 'string', $comment: `@${what}Comment@` } } } },
})

const parameters = schemaOf('parameter')
const answer = schemaOf('answer')

/** In Gemini's form. */
const schemaOfGemini = (what: string) => ({
  type: 'OBJECT',
  title: `@${what}Title@`,
  properties: {
    q: { type: 'STRING', format: 'enum', description: `@${what}Property@`, enum: [`@${what}Choice@`] },
    list: { type: 'ARRAY', minItems: '1', items: { type: 'STRING', example: `@${what}Example@` } },
    either: { anyOf: [{ type: 'STRING', default: `@${what}Default@` }, { type: 'NUMBER' }] },
  },
  required: ['q'],
  propertyOrdering: ['q', 'list'],
})

/** In every format that is guarded. */
export const richRequests: Readonly<Record<GuardedFormat, RichRequest>> = {
  completions: {
    path: () => '/v1/chat/completions',
    body: {
      messages: [
        { role: 'system', content: '@system@' },
        { role: 'developer', content: [{ type: 'text', text: '@developer@' }] },
        {
          role: 'user',
          content: [
            { type: 'text', text: '@first@' },
            { type: 'image_url', image_url: { url: `data:image/png;base64,${redDot}`, detail: 'low' } },
            { type: 'input_audio', input_audio: { data: redDot, format: 'wav' } },
            { type: 'text', text: '@second@' },
          ],
        },
        {
          role: 'assistant',
          content: '@assistant@',
          tool_calls: [
            { id: 'c1', type: 'function', function: { name: 'look', arguments: '{"q":"@arguments@"}' } },
          ],
        },
        { role: 'tool', tool_call_id: 'c1', content: [{ type: 'text', text: '@result@' }] },
        { role: 'user', content: '@last@' },
      ],
      tools: [
        { type: 'function', function: { name: 'look', description: '@description@', parameters } },
        {
          type: 'custom',
          custom: {
            name: 'patch',
            description: '@customDescription@',
            format: { type: 'grammar', grammar: { syntax: 'lark', definition: '@grammar@' } },
          },
        },
      ],
      functions: [{ name: 'seek', description: '@functionDescription@', parameters: schemaOf('function') }],
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'town', description: '@answerDescription@', strict: true, schema: answer },
      },
    },
  },
  messages: {
    path: () => '/v1/messages',
    body: {
      max_tokens: 9,
      system: [{ type: 'text', text: '@system@', cache_control: { type: 'ephemeral' } }],
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: '@first@' },
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: redDot } },
            {
              type: 'document',
              title: '@title@',
              source: { type: 'text', media_type: 'text/plain', data: '@document@' },
            },
          ],
        },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: '@thought@', signature: 'c2ln' },
            { type: 'text', text: '@assistant@' },
            { type: 'tool_use', id: 't1', name: 'look', input: { q: { deep: ['@input@'] } } },
          ],
        },
        {
          role: 'user',
          content: [
            {
              type: 'tool_result',
              tool_use_id: 't1',
              content: [
                { type: 'text', text: '@result@' },
                { type: 'image', source: { type: 'base64', media_type: 'image/png', data: redDot } },
              ],
            },
            { type: 'tool_result', tool_use_id: 't2', content: '@plain@' },
          ],
        },
      ],
      tools: [
        {
          name: 'look',
          description: '@description@',
          input_schema: parameters,
          input_examples: [{ q: '@inputExample@' }],
        },
      ],
      output_config: { effort: 'low', format: { type: 'json_schema', schema: answer } },
      output_format: { type: 'json_schema', schema: schemaOf('format') },
    },
  },
  responses: {
    path: () => '/v1/responses',
    body: {
      instructions: '@instructions@',
      input: [
        { role: 'system', content: '@system@' },
        {
          type: 'message',
          role: 'user',
          content: [
            { type: 'input_text', text: '@first@' },
            { type: 'input_image', image_url: `data:image/png;base64,${redDot}`, detail: 'low' },
            { type: 'input_text', text: '@second@' },
          ],
        },
        { type: 'function_call', call_id: 'c1', name: 'look', arguments: '{"q":"@arguments@"}' },
        { type: 'function_call_output', call_id: 'c1', output: '@result@' },
        {
          type: 'function_call_output',
          call_id: 'c2',
          output: [{ type: 'input_text', text: '@part@' }],
        },
        { type: 'custom_tool_call', call_id: 'c3', name: 'patch', input: '@input@' },
      ],
      tools: [
        { type: 'function', name: 'look', description: '@description@', parameters },
        {
          type: 'mcp',
          server_label: 'maps',
          server_url: 'https://maps.test',
          server_description: '@server@',
        },
        {
          type: 'custom',
          name: 'patch',
          description: '@customDescription@',
          format: { type: 'grammar', syntax: 'lark', definition: '@grammar@' },
        },
      ],
      text: {
        format: { type: 'json_schema', name: 'town', description: '@answerDescription@', schema: answer },
        verbosity: 'low',
      },
    },
  },
  generateContent: {
    path: (model: string, stream = false) =>
      `/v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    isPlaced: false,
    body: {
      systemInstruction: { parts: [{ text: '@system@' }] },
      contents: [
        {
          role: 'user',
          parts: [
            { text: '@first@' },
            { inlineData: { mimeType: 'image/png', data: redDot } },
            { text: '@second@' },
          ],
        },
        { role: 'model', parts: [{ functionCall: { name: 'look', args: { q: ['@arguments@'] } } }] },
        {
          role: 'user',
          parts: [{ functionResponse: { name: 'look', response: { found: '@result@' } } }],
        },
      ],
      tools: [
        {
          functionDeclarations: [
            {
              name: 'look',
              description: '@description@',
              parameters: schemaOfGemini('parameter'),
              response: schemaOfGemini('found'),
            },
            {
              name: 'seek',
              description: '@jsonDescription@',
              parametersJsonSchema: schemaOf('jsonParameter'),
              responseJsonSchema: schemaOf('jsonFound'),
            },
          ],
        },
      ],
      generationConfig: {
        responseMimeType: 'application/json',
        responseSchema: schemaOfGemini('answer'),
        responseJsonSchema: schemaOf('jsonAnswer'),
      },
    },
  },
  converse: {
    path: (model: string) => `/model/${model}/converse`,
    isPlaced: false,
    body: {
      system: [{ text: '@system@' }],
      messages: [
        {
          role: 'user',
          content: [
            { text: '@first@' },
            { image: { format: 'png', source: { bytes: redDot } } },
            { text: '@second@' },
          ],
        },
        {
          role: 'assistant',
          content: [
            { text: '@assistant@' },
            { toolUse: { toolUseId: 't1', name: 'look', input: { q: '@input@' } } },
          ],
        },
        {
          role: 'user',
          content: [
            {
              toolResult: {
                toolUseId: 't1',
                content: [{ text: '@result@' }, { json: { found: '@json@' } }],
              },
            },
          ],
        },
      ],
      toolConfig: {
        tools: [
          { toolSpec: { name: 'look', description: '@description@', inputSchema: { json: parameters } } },
        ],
      },
      outputConfig: {
        textFormat: {
          type: 'json_schema',
          structure: {
            jsonSchema: {
              name: 'town',
              description: '@answerDescription@',
              schema: JSON.stringify(answer),
            },
          },
        },
      },
    },
  },
  embeddings: { path: () => '/v1/embeddings', body: { input: ['@first@', '@second@'] } },
  rerank: {
    path: () => '/v2/rerank',
    body: { query: '@query@', documents: ['@first@', '@second@'], top_n: 1 },
  },
}
