import { EventEmitter, once } from 'node:events'
import {
  Client,
  StreamableHTTPClientTransport,
  type VersionNegotiationMode,
} from '@modelcontextprotocol/client'

/**
 * Uses the features of both revisions of the fixture, with the second official SDK, and returns what the client
 * received.
 */
export const exerciseV2 = async (
  url: string,
  mode: VersionNegotiationMode,
): Promise<Record<string, unknown>> => {
  const client = new Client(
    { name: 'exercise', version: '1.0.0' },
    { capabilities: { sampling: {}, elicitation: {}, roots: {} }, versionNegotiation: { mode } },
  )
  const heard = new EventEmitter()
  client.setRequestHandler('elicitation/create', () => ({
    action: 'accept',
    content: { name: 'Ada', color: 'red' },
  }))
  client.setRequestHandler('sampling/createMessage', () => ({
    role: 'assistant',
    model: 'none',
    content: { type: 'text', text: 'Paris' },
  }))
  client.setRequestHandler('roots/list', () => ({ roots: [{ uri: 'file:///here', name: 'here' }] }))
  client.setNotificationHandler('notifications/tools/list_changed', () => {
    heard.emit('tools')
  })
  await client.connect(new StreamableHTTPClientTransport(new URL(url)))
  try {
    const progress: unknown[] = []
    const call = async (name: string, args: Record<string, unknown> = {}) =>
      await client.callTool({ name, arguments: args }, { onprogress: (told) => progress.push(told) })
    const seen: Record<string, unknown> = {
      revision: client.getNegotiatedProtocolVersion(),
      tools: await client.listTools(),
      prompts: await client.listPrompts(),
      resources: await client.listResources(),
      templates: await client.listResourceTemplates(),
      text: await call('test_simple_text'),
      failure: await call('test_error_handling'),
      arguments: await call('test_x_mcp_header', { region: 'eu', shard: 7, note: 'grüße' }),
      progress: await call('test_tool_with_progress'),
      elicited: await call('test_input_required_result_elicitation'),
      sampled: await call('test_sampling', { prompt: 'Where is the Louvre?' }),
      roots: await call('test_input_required_result_list_roots'),
      several: await call('test_input_required_result_multiple_inputs'),
      rounds: await call('test_input_required_result_multi_round'),
      prompt: await client.getPrompt({
        name: 'test_prompt_with_arguments',
        arguments: { arg1: 'hello', arg2: 'world' },
      }),
      asking: await client.getPrompt({ name: 'test_input_required_result_prompt' }),
      read: await client.readResource({ uri: 'test://static-text' }),
      completed: await client.complete({
        ref: { type: 'ref/prompt', name: 'test_prompt_with_arguments' },
        argument: { name: 'arg1', value: 'par' },
      }),
    }
    const changed = once(heard, 'tools')
    const subscription =
      client.getProtocolEra() === 'modern' ? await client.listen({ toolsListChanged: true }) : undefined
    await call('test_trigger_tool_change')
    await changed
    await subscription?.close()
    return { ...seen, told: progress }
  } finally {
    await client.close()
  }
}
