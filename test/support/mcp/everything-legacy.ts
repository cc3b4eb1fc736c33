/* eslint-disable @typescript-eslint/no-deprecated -- the SDK's other server rewrites schemas */
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js'
import {
  CallToolRequestSchema,
  CompleteRequestSchema,
  ErrorCode,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  McpError,
  ReadResourceRequestSchema,
  ResultSchema,
  type ServerNotification,
  type ServerRequest,
  SetLevelRequestSchema,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
} from '@modelcontextprotocol/sdk/types.js'
import type { JsonObject } from '../../../src/protocols/json-rpc/message.ts'
import {
  complete,
  everythingPrompts,
  everythingResources,
  everythingTemplates,
  readResource,
} from './everything-content.ts'
import { everythingTools } from './everything-tools.ts'
import { type Change, FixtureError, type FixtureRequest, type InputRequest } from './fixture-request.ts'
import { text } from './fixture-tool.ts'
import type { Hub } from './hub.ts'
import { levels } from './levels.ts'
import { listEntry } from './list-entry.ts'

type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>

/**
 * The fixture for the handshake revisions: one session of the official SDK's low-level server, which does not change
 * schemas.
 */
export const everythingLegacy = (hub: Hub): Server => {
  const server = new Server(
    { name: 'everything-fixture', version: '1.0.0' },
    {
      capabilities: {
        logging: {},
        completions: {},
        tools: { listChanged: true },
        prompts: { listChanged: true },
        resources: { listChanged: true, subscribe: true },
      },
      instructions: 'A server to test gateways with.',
    },
  )
  const watched = new Set<string>()
  let level = 0
  const quit = hub.listen((change) => {
    // A client that has disconnected cannot be notified.
    announce(server, change, watched)?.catch(() => undefined)
  })
  server.onclose = quit

  // It does not check the capabilities of the client: the gateway has to.
  const ask = async (unsolicited: Record<string, InputRequest>, extra: Extra) => {
    const answers = Object.entries(unsolicited).map(async ([key, question]) => {
      return [key, await extra.sendRequest(question as unknown as ServerRequest, ResultSchema)] as const
    })
    return Object.fromEntries(await Promise.all(answers))
  }
  const request = (args: JsonObject | undefined, extra: Extra): FixtureRequest => ({
    args: args ?? {},
    capabilities: server.getClientCapabilities() ?? {},
    log: async (data) => {
      if (levels.indexOf('info') >= level)
        await extra.sendNotification({ method: 'notifications/message', params: { level: 'info', data } })
    },
    progress: async (progress, total) => {
      const progressToken = extra._meta?.progressToken
      if (progressToken !== undefined)
        await extra.sendNotification({
          method: 'notifications/progress',
          params: { progressToken, progress, total },
        })
    },
    requestInput: (unsolicited) => ask(unsolicited, extra),
    hangUp: () => extra.closeSSEStream?.(),
    changed: hub.changed,
  })

  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: everythingTools.map(listEntry) }))
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra) => {
    const tool = everythingTools.find(({ name }) => name === params.name)
    if (tool === undefined) throw new McpError(ErrorCode.InvalidParams, `Unknown tool: ${params.name}`)
    try {
      return await tool.run(request(params.arguments, extra))
    } catch (error) {
      return { ...text(error instanceof Error ? error.message : String(error)), isError: true }
    }
  })
  server.setRequestHandler(ListPromptsRequestSchema, () => ({ prompts: everythingPrompts.map(listEntry) }))
  server.setRequestHandler(GetPromptRequestSchema, async ({ params }, extra) => {
    const prompt = everythingPrompts.find(({ name }) => name === params.name)
    if (prompt === undefined) throw new McpError(ErrorCode.InvalidParams, `Unknown prompt: ${params.name}`)
    return await prompt.get(request(params.arguments, extra))
  })
  server.setRequestHandler(ListResourcesRequestSchema, () => ({ resources: [...everythingResources] }))
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({
    resourceTemplates: [...everythingTemplates],
  }))
  server.setRequestHandler(ReadResourceRequestSchema, ({ params }) => {
    try {
      return readResource(params.uri, -32002)
    } catch (error) {
      if (error instanceof FixtureError) throw new McpError(error.code, error.message, error.data)
      throw error
    }
  })
  server.setRequestHandler(SubscribeRequestSchema, ({ params }) => {
    watched.add(params.uri)
    return {}
  })
  server.setRequestHandler(UnsubscribeRequestSchema, ({ params }) => {
    watched.delete(params.uri)
    return {}
  })
  server.setRequestHandler(SetLevelRequestSchema, ({ params }) => {
    level = levels.indexOf(params.level)
    return {}
  })
  server.setRequestHandler(CompleteRequestSchema, ({ params }) => complete(params.argument.value))
  return server
}

const announce = (
  server: Server,
  change: Change,
  watched: ReadonlySet<string>,
): Promise<void> | undefined => {
  if (change.kind === 'tools') return server.sendToolListChanged()
  if (change.kind === 'prompts') return server.sendPromptListChanged()
  if (change.kind === 'resources') return server.sendResourceListChanged()
  return watched.has(change.uri) ? server.sendResourceUpdated({ uri: change.uri }) : undefined
}
