import { request } from 'node:http'
import type { JsonObject } from '../../../src/protocols/json-rpc/message.ts'

/** A response as received, with its messages parsed. */
export interface RawMcpResponse {
  readonly status: number
  readonly type: string
  readonly session: string | undefined
  readonly messages: readonly unknown[]
}

const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': { sampling: {}, elicitation: {}, roots: {} },
}

/** A client without any defaults: it sends what it is given. */
export class RawMcp {
  readonly #url: string
  readonly #fields: Readonly<Record<string, string>>
  #session: string | undefined
  #id = 0

  /** @param fields of every request */
  constructor(url: string, fields: Readonly<Record<string, string>> = {}) {
    this.#url = url
    this.#fields = fields
  }

  /** Opens a session of 2025-11-25, and returns the response to `initialize`. */
  async open(
    capabilities: JsonObject = { sampling: {}, elicitation: {}, roots: {} },
  ): Promise<RawMcpResponse> {
    const clientInfo = { name: 'raw', version: '1.0.0' }
    const answer = await this.legacy('initialize', {
      protocolVersion: '2025-11-25',
      capabilities,
      clientInfo,
    })
    this.#session = answer.session
    await this.post({ jsonrpc: '2.0', method: 'notifications/initialized' }, this.#sessionFields())
    return answer
  }

  /** A request within the session. */
  legacy(method: string, params?: JsonObject): Promise<RawMcpResponse> {
    return this.post(
      { jsonrpc: '2.0', id: this.#id++, method, ...(params === undefined ? {} : { params }) },
      this.#sessionFields(),
    )
  }

  /** A request of 2026-07-28, with the fields that repeat it. */
  modern(
    method: string,
    params: JsonObject = {},
    fields: Readonly<Record<string, string>> = {},
  ): Promise<RawMcpResponse> {
    const name = params.name ?? params.uri
    return this.post(
      {
        jsonrpc: '2.0',
        id: this.#id++,
        method,
        params: { ...params, _meta: { ...meta, ...(params._meta as JsonObject | undefined) } },
      },
      {
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': method,
        ...(typeof name === 'string' ? { 'mcp-name': name } : {}),
        ...fields,
      },
    )
  }

  /** Sends any JSON with any fields. */
  post(message: unknown, fields: Readonly<Record<string, string>> = {}): Promise<RawMcpResponse> {
    return new Promise((resolve, reject) => {
      const headers = {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...this.#fields,
        ...fields,
      }
      request(this.#url, { method: 'POST', headers }, (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
        response.once('error', reject).once('end', () => {
          const type = response.headers['content-type'] ?? ''
          const session = response.headers['mcp-session-id']
          resolve({
            status: response.statusCode ?? 0,
            type,
            session: typeof session === 'string' ? session : undefined,
            messages: messagesOf(type, text),
          })
        })
      })
        .once('error', reject)
        .end(JSON.stringify(message))
    })
  }

  #sessionFields(): Record<string, string> {
    return this.#session === undefined
      ? {}
      : { 'mcp-session-id': this.#session, 'mcp-protocol-version': '2025-11-25' }
  }
}

const messagesOf = (type: string, text: string): readonly unknown[] => {
  if (type.startsWith('application/json')) return [JSON.parse(text)]
  if (!type.startsWith('text/event-stream')) return text === '' ? [] : [text]
  return text
    .split('\n\n')
    .map((event) =>
      event
        .split('\n')
        .filter((line) => line.startsWith('data:'))
        .map((line) => line.slice(5).trimStart())
        .join('\n'),
    )
    .filter((data) => data !== '')
    .map((data) => JSON.parse(data) as unknown)
}
