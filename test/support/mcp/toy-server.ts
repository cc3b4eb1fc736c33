import { randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import {
  type ServerAddress,
  respondEvents,
  respondJson,
  type Script,
  type ScriptedRequest,
  type ScriptedServer,
  startScripted,
} from './scripted-server.ts'

/** The reaction of a test to a request: it responds, now or later, or not at all. */
export type ToyHandler = (request: ScriptedRequest, response: ServerResponse) => void

export interface ToyOptions {
  /** Reactions by method, `GET` and `DELETE` among them, or by the name of a tool. */
  readonly handlers?: Readonly<Record<string, ToyHandler>>
  readonly tools?: readonly string[]
  readonly capabilities?: object
  /** Without session ids sessions cannot be distinguished. */
  readonly hasSessions?: boolean
  /** Its port, if that matters. */
  readonly at?: ServerAddress
}

/** A small server with handshakes, with reactions from the test. */
export interface ToyServer extends AsyncDisposable {
  readonly origin: string
  readonly url: string
  readonly requests: readonly ScriptedRequest[]
  /** Sessions that have begun and not ended. */
  readonly sessions: Set<string>
  /** The requests of one method or tool. */
  requestsOf(name: string): readonly ScriptedRequest[]
  /** Resolves with the `n`th of them. */
  nextRequestOf(name: string, n?: number): Promise<ScriptedRequest>
}

/** Starts one. */
export const startToy = async (options: ToyOptions = {}): Promise<ToyServer> => {
  const sessions = new Set<string>()
  const wake: (() => void)[] = []
  const script = toyScript(options, sessions)
  const server: ScriptedServer = await startScripted((request, response) => {
    for (const one of wake.splice(0)) one()
    script(request, response)
  }, options.at)
  const requestsOf = (name: string): readonly ScriptedRequest[] =>
    server.requests.filter((request) => nameOf(request) === name || kindOf(request) === name)
  return {
    origin: server.origin,
    url: `${server.origin}/mcp`,
    requests: server.requests,
    sessions,
    requestsOf,
    nextRequestOf: async (name, n = 1) => {
      for (;;) {
        const come = requestsOf(name)[n - 1]
        if (come) return come
        await new Promise<void>((resolve) => wake.push(resolve))
      }
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

/** The text of a tool's result. */
export const content = (text: string) => ({ content: [{ type: 'text', text }] })

/** Responds to the request with a result. */
export const reply = (
  { body }: ScriptedRequest,
  response: ServerResponse,
  result: object,
  fields: Record<string, string> = {},
): void => {
  respondJson(response, { jsonrpc: '2.0', id: body.id, result }, fields)
}

/** Responds with an error of JSON-RPC. */
export const err = ({ body }: ScriptedRequest, response: ServerResponse, code: number, message = 'no') => {
  respondJson(response, { jsonrpc: '2.0', id: body.id, error: { code, message } })
}

/** Opens a stream and sends these; the response to the request ends it if there is a result. */
export const streamed = (
  { body }: ScriptedRequest,
  response: ServerResponse,
  events: readonly unknown[],
  result?: object,
): void => {
  respondEvents(response, ...events)
  if (result) {
    respondEvents(response, { jsonrpc: '2.0', id: body.id, result })
    response.end()
  }
}

const kindOf = ({ method, body }: ScriptedRequest): string => body.method ?? method

const nameOf = ({ body }: ScriptedRequest): string | undefined => {
  const { name } = (body.params ?? {}) as { readonly name?: string }
  return body.method === 'tools/call' ? name : undefined
}

const toyScript = (options: ToyOptions, sessions: Set<string>): Script => {
  const { handlers = {}, tools = [], hasSessions = true } = options
  const standard: Readonly<Record<string, ToyHandler>> = {
    initialize: (request, response) => {
      const session = `toy-${randomUUID()}`
      if (hasSessions) sessions.add(session)
      const { protocolVersion } = request.body.params as { readonly protocolVersion: string }
      reply(
        request,
        response,
        {
          protocolVersion,
          capabilities: options.capabilities ?? { tools: {} },
          serverInfo: { name: 'toy', version: '1' },
        },
        hasSessions ? { 'mcp-session-id': session } : {},
      )
    },
    GET: (_, response) => response.writeHead(405).end(),
    DELETE: ({ headers }, response) => {
      sessions.delete(String(headers['mcp-session-id']))
      response.writeHead(200).end()
    },
    'tools/list': (request, response) => {
      reply(request, response, { tools: tools.map((name) => ({ name, inputSchema: { type: 'object' } })) })
    },
    'tools/call': (request, response) => {
      reply(request, response, content(`${nameOf(request) ?? ''} done`))
    },
  }
  return (request, response) => {
    const session = request.headers['mcp-session-id']
    const isKnown =
      !hasSessions ||
      !request.url.startsWith('/mcp') ||
      kindOf(request) === 'initialize' ||
      sessions.has(String(session))
    const deed = handlers[nameOf(request) ?? ''] ?? handlers[kindOf(request)] ?? standard[kindOf(request)]
    if (!isKnown && (session !== undefined || request.body.method !== 'server/discover'))
      response.writeHead(404).end('no such session')
    else if (deed) deed(request, response)
    else if (request.body.id === undefined) response.writeHead(202).end()
    else if (request.body.method === 'server/discover') response.writeHead(400).end()
    else err(request, response, -32_601)
  }
}
