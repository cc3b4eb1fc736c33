import { Agent, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'
import { resetSocket } from '../../../src/upstream/connect/reset-socket.ts'

/** A message, loosely typed for tests. */
export interface McpMessage {
  readonly [member: string]: unknown
  readonly id?: string | number | null
  readonly method?: string
  readonly params?: Readonly<Record<string, unknown>>
  readonly result?: Readonly<Record<string, unknown>>
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

/** A complete response. */
export interface McpResponse {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  readonly messages: readonly McpMessage[]
  /** Of the first message that is a response. */
  readonly response: McpMessage | undefined
}

/** An event of a stream. */
export interface Event {
  readonly id?: string
  readonly message?: McpMessage
}

export interface Sending {
  readonly method?: string
  readonly fields?: Readonly<Record<string, string>>
  /** Leaves out fields that are sent by default. */
  readonly without?: readonly string[]
  readonly path?: string
  readonly agent?: Agent
}

/** An MCP client that sends what the test says, valid or not. */
export class McpCaller {
  readonly url: URL
  readonly fields: Record<string, string>
  #id = 0

  constructor(url: string, fields: Record<string, string> = {}) {
    this.url = new URL(url)
    this.fields = fields
  }

  /** Of the last request. */
  get lastId(): number {
    return this.#id
  }

  /** Begins a session, and uses it from now on. */
  async open(
    params: Readonly<Record<string, unknown>> = {},
    protocolVersion = '2025-11-25',
  ): Promise<McpResponse & { readonly session: string }> {
    const response = await this.request('initialize', {
      protocolVersion,
      capabilities: {},
      clientInfo: { name: 'hostile', version: '1' },
      ...params,
    })
    const session = response.headers['mcp-session-id']
    if (typeof session !== 'string') return { ...response, session: '' }
    this.fields['mcp-session-id'] = session
    this.fields['mcp-protocol-version'] = String(response.response?.result?.protocolVersion)
    await this.send({ jsonrpc: '2.0', method: 'notifications/initialized' })
    return { ...response, session }
  }

  /** A request of a revision with sessions. */
  request(method: string, params: unknown = {}, sending: Sending = {}): Promise<McpResponse> {
    return this.send({ jsonrpc: '2.0', id: ++this.#id, method, params }, sending)
  }

  /** A request of 2026-07-28, with its header fields and metadata. */
  requestModern(
    method: string,
    params: Readonly<Record<string, unknown>> = {},
    capabilities: object = {},
    sending: Sending = {},
  ): Promise<McpResponse> {
    const [message, fields] = modern(++this.#id, method, params, capabilities)
    return this.send(message, { ...sending, fields: { ...fields, ...sending.fields } })
  }

  /** The same, event by event. */
  streamModern(
    method: string,
    params: Readonly<Record<string, unknown>> = {},
    capabilities: object = {},
  ): Promise<McpStream> {
    const [message, fields] = modern(++this.#id, method, params, capabilities)
    return this.stream(message, { fields })
  }

  /** Sends anything: values other than text as JSON. */
  async send(message: unknown, sending: Sending = {}): Promise<McpResponse> {
    const stream = await this.stream(message, sending)
    return stream.whole()
  }

  async stream(message: unknown, sending: Sending = {}): Promise<McpStream> {
    const { method = 'POST', fields = {}, without = [], path, agent } = sending
    const hasBody = message !== undefined
    const headers: Record<string, string> = {
      accept: method === 'GET' ? 'text/event-stream' : 'application/json, text/event-stream',
      ...(hasBody && { 'content-type': 'application/json' }),
      ...this.fields,
      ...fields,
    }
    for (const name of without) Reflect.deleteProperty(headers, name)
    const { hostname, port, pathname } = this.url
    return new Promise((resolve, reject) => {
      const sent = request(
        { hostname, port, method, headers, path: path ?? pathname, agent: agent ?? false },
        (response) => {
          resolve(new McpStream(response))
        },
      )
      sent.on('error', reject)
      sent.end(!hasBody ? undefined : typeof message === 'string' ? message : JSON.stringify(message))
    })
  }

  /** The standalone stream. */
  listen(fields: Record<string, string> = {}): Promise<McpStream> {
    return this.stream(undefined, { method: 'GET', fields })
  }
}

/** A response that is read incrementally. */
export class McpStream {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly #response: IncomingMessage
  #text = ''
  #read = 0
  #isOver = false
  #wake = (): void => undefined

  constructor(response: IncomingMessage) {
    this.#response = response
    this.status = response.statusCode ?? 0
    this.headers = response.headers
    const over = (): void => {
      this.#isOver = true
      this.#wake()
    }
    response.setEncoding('utf8').on('data', (chunk: string) => {
      this.#text += chunk
      this.#wake()
    })
    response.on('end', over).on('error', over).on('close', over)
  }

  get text(): string {
    return this.#text
  }

  /** The next event, or undefined at the end. Comments are skipped. */
  async next(): Promise<Event | undefined> {
    for (;;) {
      const end = this.#text.indexOf('\n\n', this.#read)
      if (end >= 0) {
        const event = eventIn(this.#text.slice(this.#read, end))
        this.#read = end + 2
        if (event) return event
      } else if (this.#isOver) return undefined
      else await new Promise<void>((wake) => (this.#wake = wake))
    }
  }

  /** The next event with a matching message. */
  async message(isIt: (message: McpMessage) => boolean = () => true): Promise<McpMessage> {
    for (;;) {
      const event = await this.next()
      if (!event) throw new Error(`the stream has ended: ${this.#text}`)
      if (event.message && isIt(event.message)) return event.message
    }
  }

  async whole(): Promise<McpResponse> {
    while (!this.#isOver) await new Promise<void>((wake) => (this.#wake = wake))
    const { status, headers } = this
    const text = this.#text
    const messages = messagesIn(String(headers['content-type']), text)
    const response = messages.find((one) => 'result' in one || 'error' in one)
    return { status, headers, text, messages, response }
  }

  /** Resumes after the first event. */
  skipped(): this {
    this.#read = this.#text.indexOf('\n\n') + 2
    return this
  }

  /** Stops reading without disconnecting. */
  pause(): void {
    this.#response.pause()
  }

  leave(): void {
    // A connection that only ends might still be listening.
    resetSocket(this.#response.socket)
  }
}

const META = 'io.modelcontextprotocol/'

const modern = (
  id: number,
  method: string,
  params: Readonly<Record<string, unknown>>,
  capabilities: object,
): [unknown, Record<string, string>] => {
  const name = params.name ?? params.uri
  const message = {
    jsonrpc: '2.0',
    id,
    method,
    params: {
      ...params,
      _meta: {
        [`${META}protocolVersion`]: '2026-07-28',
        [`${META}clientInfo`]: { name: 'hostile', version: '1' },
        [`${META}clientCapabilities`]: capabilities,
        ...(params._meta as object | undefined),
      },
    },
  }
  const fields = {
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': method,
    ...(typeof name === 'string' && { 'mcp-name': name }),
  }
  return [message, fields]
}

const messagesIn = (type: string, text: string): readonly McpMessage[] => {
  if (type.startsWith('application/json')) {
    const value = JSON.parse(text) as McpMessage | McpMessage[]
    return Array.isArray(value) ? value : [value]
  }
  if (!type.startsWith('text/event-stream')) return []
  return text.split('\n\n').flatMap((one): McpMessage[] => {
    const message = eventIn(one)?.message
    return message ? [message] : []
  })
}

const eventIn = (text: string): Event | undefined => {
  const lines = text.split('\n')
  const id = lines
    .find((line) => line.startsWith('id:'))
    ?.slice(3)
    .trim()
  const data = lines
    .filter((line) => line.startsWith('data:'))
    .map((line) => line.slice(5).trim())
    .join('\n')
  const message = data === '' ? undefined : (JSON.parse(data) as McpMessage)
  if (id === undefined && message === undefined) return undefined
  return { ...(id !== undefined && { id }), ...(message && { message }) }
}
