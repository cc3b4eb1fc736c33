import type { JsonObject } from '../../protocols/json-rpc/message.ts'
import { readMeta } from '../../protocols/mcp/meta.ts'
import { standardHeaders } from '../../protocols/mcp/standard-headers.ts'
import { fieldsOf } from './http-fields.ts'
import { type HttpWireLimits, httpWireLimits } from './http-limits.ts'
import type { Behalf, Call, ServerRequest } from './wire.ts'

/** What is known of a server before anything was said. */
export interface StreamableHttpOptions {
  /** Legacy servers have sessions, and a stream besides the calls; modern ones want messages mirrored in fields. */
  readonly era: 'legacy' | 'modern'
  /** A session that began over another wire. */
  readonly sessionId?: string | undefined
  /** Where, of several places, the server has that session. */
  readonly place?: string | undefined
  /** The revision that is spoken, where no handshake is to come. */
  readonly revision?: string | undefined
  readonly limits?: Partial<HttpWireLimits> | undefined
}

/** Where a server takes requests, and what every request says of the session. */
export class StreamableHttpEndpoint {
  readonly server: string
  readonly era: 'legacy' | 'modern'
  readonly limits: HttpWireLimits
  revision: string | undefined
  sessionId: string | undefined
  place: string | undefined
  readonly #path: string

  constructor(
    server: string,
    path: string,
    { era, sessionId, place, revision, limits }: StreamableHttpOptions,
  ) {
    this.server = server
    this.era = era
    this.limits = { ...httpWireLimits, ...limits }
    this.revision = revision
    this.sessionId = sessionId
    this.place = place
    this.#path = path
  }

  /** A message; a call's fields with it. */
  post(text: string, { method, params, mirrored }: Partial<Call>, behalf: Behalf): ServerRequest {
    const fields = ['content-type', 'application/json', 'accept', 'application/json, text/event-stream']
    // A handshake begins a session of its own: it knows of no other, and of no revision.
    if (method !== 'initialize') this.#identify(fields, params)
    if (this.era === 'modern' && method !== undefined) {
      fields.push(...standardHeaders(method, params))
      for (const [i, part] of (mirrored ?? []).entries()) fields.push(i % 2 ? part : part.toLowerCase())
    }
    return this.#request('POST', fields, behalf, Buffer.from(text))
  }

  /** The stream of what belongs to no call, or the rest of any stream after the event that it ended with. */
  get(lastEventId: string | undefined, behalf: Behalf): ServerRequest {
    const fields = ['accept', 'text/event-stream']
    this.#identify(fields, undefined)
    if (lastEventId !== undefined) fields.push('last-event-id', lastEventId)
    return this.#request('GET', fields, behalf)
  }

  /** The end of the session. */
  delete(behalf: Behalf): ServerRequest {
    const fields: string[] = []
    this.#identify(fields, undefined)
    return this.#request('DELETE', fields, behalf)
  }

  #identify(fields: string[], params: JsonObject | undefined): void {
    // A server compares the two; what the message says of itself is what it is.
    const revision = (this.era === 'modern' ? readMeta(params).version : undefined) ?? this.revision
    if (revision !== undefined) fields.push('mcp-protocol-version', revision)
    if (this.sessionId !== undefined) fields.push('mcp-session-id', this.sessionId)
  }

  #request(method: string, fields: string[], behalf: Behalf, body?: Buffer): ServerRequest {
    // What is packed would have to be unpacked here, and a small packet can hold a large message.
    fields.push('accept-encoding', 'identity')
    return {
      method,
      target: this.#path,
      headers: fieldsOf(fields, behalf.headers),
      body,
      boundTo: this.place,
    }
  }
}
