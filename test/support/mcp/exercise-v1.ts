import { EventEmitter, once } from 'node:events'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  LoggingMessageNotificationSchema,
  ResourceUpdatedNotificationSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js'

/** Uses all features of the fixture, with the first official SDK, and returns what the client received. */
export const exerciseV1 = async (transport: Transport): Promise<Record<string, unknown>> => {
  const client = new Client(
    { name: 'exercise', version: '1.0.0' },
    { capabilities: { sampling: {}, elicitation: {}, roots: {} } },
  )
  const heard = new EventEmitter()
  const logged: unknown[] = []
  client.setRequestHandler(ElicitRequestSchema, () => ({
    action: 'accept',
    content: { name: 'Ada', color: 'red' },
  }))
  client.setRequestHandler(CreateMessageRequestSchema, () => ({
    role: 'assistant',
    model: 'none',
    content: { type: 'text', text: 'Paris' },
  }))
  client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [{ uri: 'file:///here', name: 'here' }] }))
  client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => {
    logged.push(params.data)
  })
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => {
    heard.emit('updated', params.uri)
  })
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => {
    heard.emit('tools')
  })
  await client.connect(transport)
  try {
    const progress: unknown[] = []
    const call = async (name: string, args: Record<string, unknown> = {}) =>
      await client.callTool({ name, arguments: args }, undefined, {
        onprogress: (told) => progress.push(told),
      })
    await client.setLoggingLevel('info')
    const seen: Record<string, unknown> = {
      server: client.getServerVersion(),
      tools: await client.listTools(),
      prompts: await client.listPrompts(),
      resources: await client.listResources(),
      templates: await client.listResourceTemplates(),
      text: await call('test_simple_text'),
      image: await call('test_image_content'),
      failure: await call('test_error_handling'),
      arguments: await call('test_x_mcp_header', { region: 'eu', note: 'grüße' }),
      progress: await call('test_tool_with_progress'),
      elicited: await call('test_input_required_result_elicitation'),
      sampled: await call('test_sampling', { prompt: 'Where is the Louvre?' }),
      roots: await call('test_input_required_result_list_roots'),
      rounds: await call('test_input_required_result_multi_round'),
      logging: await call('test_tool_with_logging'),
      prompt: await client.getPrompt({
        name: 'test_prompt_with_arguments',
        arguments: { arg1: 'hello', arg2: 'world' },
      }),
      asking: await client.getPrompt({ name: 'test_input_required_result_prompt' }),
      read: await client.readResource({ uri: 'test://static-binary' }),
      template: await client.readResource({ uri: 'test://template/7/data' }),
      missing: await client.readResource({ uri: 'test://nothing' }).catch(codeOf),
      unknown: await client.callTool({ name: 'nothing' }).catch(codeOf),
      completed: await client.complete({
        ref: { type: 'ref/prompt', name: 'test_prompt_with_arguments' },
        argument: { name: 'arg1', value: 'par' },
      }),
    }
    const changed = once(heard, 'tools')
    await call('test_trigger_tool_change')
    await changed
    const updated = once(heard, 'updated')
    await client.subscribeResource({ uri: 'test://watched-resource' })
    await call('test_touch_resource')
    return { ...seen, told: progress, logged, updated: await updated }
  } finally {
    await client.close()
  }
}

const codeOf = (error: unknown) => ({ code: (error as { readonly code?: unknown }).code })
