import { setTimeout as delay } from 'node:timers/promises'
import type { JsonObject } from '../../../src/protocols/json-rpc/message.ts'
import { inputTools } from './everything-input-tools.ts'
import { jobTools } from './everything-jobs.ts'
import { pixelPng, silentWav } from './everything-media.ts'
import type { FixtureRequest } from './fixture-request.ts'
import { text, tool } from './fixture-tool.ts'

/** After a notification: the official SDK drops progress that arrives in one chunk with the response. */
const PAUSE_MS = 20

/** Longer than the gateway keeps connections if it is configured to close them, and shorter than twice that. */
const LONG_MS = 1_500

const image = { type: 'image', data: pixelPng, mimeType: 'image/png' }

const embedded = (uri: string, mimeType: string, body: string) => ({
  type: 'resource',
  resource: { uri, mimeType, text: body },
})

const logging = async ({ log }: FixtureRequest): Promise<JsonObject> => {
  await log('Tool execution started')
  await delay(PAUSE_MS)
  await log('Tool processing data')
  await delay(PAUSE_MS)
  await log('Tool execution completed')
  return text('Three lines have been logged')
}

const richSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: {
    address: {
      $anchor: 'addressDef',
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' } },
    },
  },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
}

const mirroredSchema = {
  type: 'object',
  properties: {
    region: { type: 'string', 'x-mcp-header': 'Region' },
    shard: { type: 'integer', 'x-mcp-header': 'Shard' },
    note: { type: 'string' },
  },
  required: ['region'],
}

/** Every tool that the conformance suite calls, and some for our own tests. The first has no arguments. */
export const everythingTools = [
  tool('test_simple_text', 'Says one sentence', () => text('This is a simple text response for testing.')),
  tool('test_image_content', 'Returns an image', () => ({ content: [image] })),
  tool('test_audio_content', 'Returns a sound', () => ({
    content: [{ type: 'audio', data: silentWav, mimeType: 'audio/wav' }],
  })),
  tool('test_embedded_resource', 'Returns a resource', () => ({
    content: [embedded('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')],
  })),
  tool('test_multiple_content_types', 'Returns three kinds of content', () => ({
    content: [
      { type: 'text', text: 'Multiple content types test:' },
      image,
      embedded('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
    ],
  })),
  tool('test_tool_with_logging', 'Logs while it works', logging),
  tool('test_logging_tool', 'Logs while it works, under another name', logging),
  tool('test_error_handling', 'Always fails', () => ({
    ...text('This tool intentionally returns an error for testing'),
    isError: true,
  })),
  tool('test_tool_with_progress', 'Says how far it is', async (request) => {
    await request.progress(0, 100)
    await delay(PAUSE_MS)
    await request.progress(50, 100)
    await delay(PAUSE_MS)
    await request.progress(100, 100)
    await delay(PAUSE_MS)
    return text('Progress has been told')
  }),
  tool('test_reconnection', 'Closes its stream while it works', async (request) => {
    request.hangUp()
    await delay(LONG_MS)
    return text('Said after the stream was closed')
  }),
  tool(
    'json_schema_2020_12_tool',
    'Has a schema with much in it',
    ({ args }) => text(JSON.stringify(args)),
    richSchema,
  ),
  tool(
    'test_x_mcp_header',
    'Has parameters that go into header fields',
    ({ args }) => text(JSON.stringify(args)),
    mirroredSchema,
  ),
  tool('test_missing_capability', 'Cannot do without sampling', async ({ requestInput: ask }) => {
    await ask({ answer: { method: 'sampling/createMessage', params: { messages: [], maxTokens: 1 } } })
    return text('Sampling is there')
  }),
  ...(['tools', 'prompts', 'resources'] as const).map((kind) =>
    tool(`test_trigger_${kind.slice(0, -1)}_change`, `Says that the ${kind} changed`, ({ changed }) => {
      changed({ kind })
      return text(`Told: ${kind}`)
    }),
  ),
  tool('test_touch_resource', 'Says that the watched resource changed', ({ changed }) => {
    changed({ kind: 'resource', uri: 'test://watched-resource' })
    return text('Told')
  }),
  ...inputTools,
  ...jobTools,
]
