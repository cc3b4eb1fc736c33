/** One request of a client: a message by POST, or another method. */
export type ClientLine = Readonly<Record<string, unknown>> | 'GET' | 'DELETE' | 'GET first'

/** The messages of a client to a server, from the first to the last, in its own style. */
export interface Transcript {
  readonly client: string
  readonly fields: Readonly<Record<string, string>>
  /** It drops its session id. */
  readonly forgetful?: boolean
  readonly lines: readonly ClientLine[]
}

const request = (id: number | string, method: string, params?: object): ClientLine => ({
  jsonrpc: '2.0',
  id,
  method,
  ...(params && { params }),
})

const initialize = (
  id: number | string,
  protocolVersion: string,
  clientInfo: object,
  capabilities: object,
): ClientLine => request(id, 'initialize', { protocolVersion, capabilities, clientInfo })

const initialized: ClientLine = { jsonrpc: '2.0', method: 'notifications/initialized' }

/** Calls the tool that the transcript is replayed with. */
const call = (id: number | string, _meta?: object): ClientLine =>
  request(id, 'tools/call', { name: 'TOOL', arguments: { message: 'hello' }, ...(_meta && { _meta }) })

const fields = (agent: string, more: Readonly<Record<string, string>> = {}) => ({
  'user-agent': agent,
  accept: 'application/json, text/event-stream',
  ...more,
})

/** Styles of real clients: their additional messages, and the order. */
export const transcripts: readonly Transcript[] = [
  {
    // Sends true where the specification has objects, numbers from 0, and sends all list requests at once.
    client: 'an editor that lists everything first',
    fields: fields('node', { 'accept-language': '*', 'sec-fetch-mode': 'cors' }),
    lines: [
      initialize(
        0,
        '2025-06-18',
        { name: 'cursor-vscode', version: '1.0.0' },
        {
          tools: true,
          prompts: true,
          resources: true,
          logging: false,
          elicitation: {},
          roots: { listChanged: false },
        },
      ),
      initialized,
      'GET',
      request(1, 'tools/list'),
      request(2, 'prompts/list'),
      request(3, 'resources/list'),
      request(4, 'resources/templates/list'),
      call(5, { progressToken: 5 }),
    ],
  },
  {
    // Tries a stream of the older transport before the handshake; has its own members in _meta.
    client: 'an assistant in a terminal',
    fields: fields('claude-code/2.1.329 (cli)'),
    lines: [
      'GET first',
      initialize(
        0,
        '2025-11-25',
        { name: 'claude-code', title: 'Claude Code', version: '2.1.329', websiteUrl: 'https://claude.com' },
        {
          roots: {},
          elicitation: {},
        },
      ),
      initialized,
      'GET',
      request(1, 'tools/list', {}),
      request(2, 'prompts/list', {}),
      request(3, 'resources/list', {}),
      call(4, { 'claudecode/toolUseId': 'toolu_01', progressToken: 4 }),
      request(5, 'ping'),
      'DELETE',
    ],
  },
  {
    client: 'an assistant on the web, which keeps no session',
    fields: fields('python-httpx/0.28.1', { accept: 'application/json,text/event-stream' }),
    forgetful: true,
    lines: [
      initialize(0, '2025-06-18', { name: 'claude-ai', version: '0.1.0' }, {}),
      initialized,
      request(1, 'tools/list'),
      request(2, 'prompts/list'),
      request(3, 'resources/list'),
      call(4),
    ],
  },
  {
    client: 'an editor that wants logs',
    fields: fields('node', { 'accept-encoding': 'br, gzip, deflate' }),
    lines: [
      initialize(
        1,
        '2025-11-25',
        { name: 'Visual Studio Code', version: '1.107.0' },
        {
          roots: { listChanged: true },
          sampling: { context: {}, tools: {} },
          elicitation: { form: {}, url: {} },
          tasks: { list: {}, cancel: {}, requests: { sampling: { createMessage: {} } } },
          extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } },
        },
      ),
      initialized,
      request(2, 'logging/setLevel', { level: 'info' }),
      request(3, 'tools/list', {}),
      'GET',
      { jsonrpc: '2.0', method: 'notifications/roots/list_changed' },
      call(4, { progressToken: '0d9c', 'vscode.conversationId': 'a', 'vscode.requestId': 'b' }),
    ],
  },
  {
    client: 'an inspector',
    fields: fields('node', { 'x-custom-auth-headers': '[]' }),
    lines: [
      initialize(
        0,
        '2025-06-18',
        { name: 'inspector-client', version: '0.17.2' },
        {
          sampling: {},
          elicitation: {},
          roots: { listChanged: true },
        },
      ),
      initialized,
      'GET',
      request(1, 'logging/setLevel', { level: 'debug' }),
      request(2, 'tools/list', { _meta: { progressToken: 2 } }),
      request(3, 'resources/list', { _meta: { progressToken: 3 } }),
      request(4, 'prompts/list', { _meta: { progressToken: 4 } }),
      call(5, { progressToken: 5 }),
      'DELETE',
    ],
  },
  {
    client: 'a client of the first revision with this transport, which numbers by text',
    fields: fields('Java-http-client/17.0.9', { accept: 'text/event-stream, application/json' }),
    lines: [
      initialize('6f1c-0', '2025-03-26', { name: 'Java SDK MCP Client', version: '0.10.0' }, {}),
      initialized,
      request('6f1c-1', 'tools/list', { cursor: null }),
      call('6f1c-2'),
    ],
  },
]
