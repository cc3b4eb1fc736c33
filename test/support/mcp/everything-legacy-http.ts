import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { everythingLegacy } from './everything-legacy.ts'
import { InMemoryEvents } from './in-memory-events.ts'
import type { Hub } from './hub.ts'

/** The handshake revisions over HTTP, by the transports of the official SDK. */
export class EverythingLegacyHttp {
  readonly #hub: Hub
  readonly #stateful: boolean
  readonly #servers = new Set<ReturnType<typeof everythingLegacy>>()
  readonly #sessions = new Map<string, StreamableHTTPServerTransport>()
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- the older transport is the subject
  readonly #streams = new Map<string, SSEServerTransport>()

  constructor(hub: Hub, stateful: boolean) {
    this.#hub = hub
    this.#stateful = stateful
  }

  /** The number of open sessions, of both transports. */
  get sessions(): number {
    return this.#sessions.size + this.#streams.size
  }

  /** Drops all sessions, like a restarted server. */
  forget(): void {
    this.#sessions.clear()
  }

  /** Ends everything, also pending requests to clients, which would keep the process alive. */
  async close(): Promise<void> {
    await Promise.all([...this.#servers].map((server) => server.close()))
  }

  /** The streamable transport: POST, GET and DELETE on one path. */
  async streamable(request: IncomingMessage, response: ServerResponse, message: unknown): Promise<void> {
    const id = request.headers['mcp-session-id']
    const transport =
      typeof id === 'string' && this.#stateful ? this.#sessions.get(id) : await this.#open(response)
    if (transport === undefined) {
      response.writeHead(404, { 'content-type': 'application/json' })
      response.end('{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Session not found"}}')
      return
    }
    await transport.handleRequest(request, response, message)
  }

  /** The older transport: a stream that contains the address for messages. */
  async stream(response: ServerResponse): Promise<void> {
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- the older transport is the subject
    const transport = new SSEServerTransport('/messages', response)
    this.#streams.set(transport.sessionId, transport)
    response.once('close', () => this.#streams.delete(transport.sessionId))
    await this.#server().connect(transport)
  }

  async message(
    request: IncomingMessage,
    response: ServerResponse,
    session: string,
    message: unknown,
  ): Promise<void> {
    const transport = this.#streams.get(session)
    if (transport === undefined) response.writeHead(404).end()
    else await transport.handlePostMessage(request, response, message)
  }

  async #open(response: ServerResponse): Promise<StreamableHTTPServerTransport> {
    const transport = new StreamableHTTPServerTransport(
      this.#stateful
        ? {
            sessionIdGenerator: randomUUID,
            eventStore: new InMemoryEvents(),
            retryInterval: 100,
            onsessioninitialized: (id) => {
              this.#sessions.set(id, transport)
            },
            onsessionclosed: (id) => {
              this.#sessions.delete(id)
            },
          }
        : {},
    )
    if (!this.#stateful) response.once('close', () => void transport.close())
    await this.#server().connect(transport)
    return transport
  }

  #server(): ReturnType<typeof everythingLegacy> {
    const server = everythingLegacy(this.#hub)
    this.#servers.add(server)
    return server
  }
}
