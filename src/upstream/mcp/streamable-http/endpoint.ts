import type { JsonObject } from '../../../protocols/json-rpc/message.ts'
import { readMeta } from '../../../protocols/mcp/meta.ts'
import { standardHeaders } from '../../../protocols/mcp/standard-headers.ts'
import { headerFieldsOf } from '../http/headers.ts'
import { type HttpTransportLimits, httpTransportLimits } from '../http/limits.ts'
import type { RequestContext, McpCall, ServerRequest } from '../transport.ts'

/** Options of the transport. */
export interface StreamableHttpOptions {
  /** Legacy servers have sessions and a GET stream; modern ones require headers that mirror messages. */
  readonly era: 'legacy' | 'modern'
  /** A session that began over another transport. */
  readonly sessionId?: string | undefined
  /** The endpoint, of several, that has the session. */
  readonly endpointAddress?: string | undefined
  /** The revision, if no handshake follows. */
  readonly revision?: string | undefined
  readonly limits?: Partial<HttpTransportLimits> | undefined
}

/** The address of a server, and the headers of its session. */
export class StreamableHttpEndpoint {
  readonly server: string
  readonly era: 'legacy' | 'modern'
  readonly limits: HttpTransportLimits
  revision: string | undefined
  sessionId: string | undefined
  endpointAddress: string | undefined
  readonly #path: string

  constructor(
    server: string,
    path: string,
    { era, sessionId, endpointAddress, revision, limits }: StreamableHttpOptions,
  ) {
    this.server = server
    this.era = era
    this.limits = { ...httpTransportLimits, ...limits }
    this.revision = revision
    this.sessionId = sessionId
    this.endpointAddress = endpointAddress
    this.#path = path
  }

  /** The POST of a message, with the mirrored headers of a call. */
  post(text: string, { method, params, mirrored }: Partial<McpCall>, context: RequestContext): ServerRequest {
    const fields = ['content-type', 'application/json', 'accept', 'application/json, text/event-stream']
    // `initialize` begins a new session: it carries no session id and no revision.
    if (method !== 'initialize') this.#identify(fields, params)
    if (this.era === 'modern' && method !== undefined) {
      fields.push(...standardHeaders(method, params))
      for (const [i, part] of (mirrored ?? []).entries()) fields.push(i % 2 ? part : part.toLowerCase())
    }
    return this.#request('POST', fields, context, Buffer.from(text))
  }

  /** The GET of the stream of messages that belong to no call, or of the rest of any stream after an event. */
  get(lastEventId: string | undefined, context: RequestContext): ServerRequest {
    const fields = ['accept', 'text/event-stream']
    this.#identify(fields, undefined)
    if (lastEventId !== undefined) fields.push('last-event-id', lastEventId)
    return this.#request('GET', fields, context)
  }

  /** The DELETE of the session. */
  delete(context: RequestContext): ServerRequest {
    const fields: string[] = []
    this.#identify(fields, undefined)
    return this.#request('DELETE', fields, context)
  }

  #identify(fields: string[], params: JsonObject | undefined): void {
    // A server compares header and message; the message counts.
    const revision = (this.era === 'modern' ? readMeta(params).version : undefined) ?? this.revision
    if (revision !== undefined) fields.push('mcp-protocol-version', revision)
    if (this.sessionId !== undefined) fields.push('mcp-session-id', this.sessionId)
  }

  #request(method: string, fields: string[], context: RequestContext, body?: Buffer): ServerRequest {
    // Compressed responses would have to be decompressed here, and small ones can expand to large messages.
    fields.push('accept-encoding', 'identity')
    return {
      method,
      target: this.#path,
      headers: headerFieldsOf(fields, context.headers),
      body,
      boundTo: this.endpointAddress,
    }
  }
}
