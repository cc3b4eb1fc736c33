import type { BodySink } from '../../../model/exchange/body.ts'
import type { Fault } from '../../../model/exchange/fault.ts'
import { EventParser } from '../../../protocols/sse/event-parser.ts'
import { responseMalformed, endpointMissing, messageTooLarge, streamCut } from '../http/faults.ts'
import { codingOf, contentTypeOf } from '../http/headers.ts'
import { HttpServerRequest } from '../http/http-request.ts'
import type { HttpTransportLimits } from '../http/limits.ts'
import type { RequestContext, ServerReply, ServerRequest } from '../transport.ts'

/** Longest endpoint that is accepted. */
const MOST_CHARACTERS = 8_192

/**
 * The path and query to which a server takes messages, from its `endpoint` event, which is relative to the stream or
 * absolute. Its host is ignored: messages go to the configured server only.
 *
 * @returns Undefined if it is malformed.
 */
export const endpointIn = (endpoint: string, streamPath: string): string | undefined => {
  if (endpoint.length > MOST_CHARACTERS) return undefined
  // Any host: it is not used.
  const url = URL.parse(endpoint, `http://server.invalid${streamPath}`)
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) return undefined
  return url.pathname + url.search
}

/** Handles the events of the stream. */
export interface LegacySseHandler {
  /** Messages go to this path and query, at this endpoint of several. Called once, before any message. */
  endpoint(path: string, endpointAddress: string | undefined): void
  message(text: string): void
  /** The stream ended. No fault: the server ended it regularly. Not called after `stop`. */
  over(fault: Fault | undefined): void
}

/** The stream of all messages of a server over HTTP+SSE. It is the session. */
export class LegacySseStream implements BodySink {
  readonly #server: string
  readonly #limits: HttpTransportLimits
  readonly #request: ServerRequest
  readonly #handler: LegacySseHandler
  readonly #httpRequest: HttpServerRequest
  readonly #timer: NodeJS.Timeout
  #parser: EventParser | undefined = undefined
  #endpointAddress: string | undefined = undefined
  #hasEndpoint = false
  #isStopped = false

  constructor(
    server: string,
    limits: HttpTransportLimits,
    request: ServerRequest,
    handler: LegacySseHandler,
  ) {
    this.#server = server
    this.#limits = limits
    this.#request = request
    this.#handler = handler
    this.#httpRequest = new HttpServerRequest(server, limits, {
      accepted: (reply, endpointAddress) => this.#accepted(reply, endpointAddress),
      failed: (fault) => this.#end(fault),
    })
    const { endpointMs } = limits
    this.#timer = setTimeout(() => this.#end(endpointMissing(server, endpointMs)), endpointMs)
  }

  open(context: RequestContext): void {
    this.#httpRequest.send(this.#request, context)
  }

  /** Cancels the stream. */
  stop(): void {
    this.#isStopped = true
    this.#parser = undefined
    clearTimeout(this.#timer)
    this.#httpRequest.stop()
  }

  write(chunk: Uint8Array): boolean {
    this.#parser?.push(chunk)
    return true
  }

  end(): void {
    this.#end(undefined)
  }

  fail(fault: unknown): void {
    this.#end(streamCut(this.#server, fault))
  }

  onDrain(): void {
    // `write` never pauses its source.
  }

  #accepted({ headers, body }: ServerReply, endpointAddress: string | undefined): void {
    this.#endpointAddress = endpointAddress
    const type = contentTypeOf(headers)
    const coding = codingOf(headers)
    if (type !== 'text/event-stream' || coding) {
      body.drop()
      this.#end(responseMalformed(this.#server, `sent ${coding ?? type ?? 'nothing'} for an event stream`))
      return
    }
    const { messageBytes } = this.#limits
    this.#parser = new EventParser(
      {
        event: ({ event, data }) => this.#event(event, data),
        overflow: () => this.#end(messageTooLarge(this.#server, messageBytes)),
      },
      messageBytes,
    )
    body.pipe(this)
  }

  #event(event: string | undefined, data: string): void {
    // The rest of a chunk still comes after the stream was stopped.
    if (this.#isStopped) return
    if (event === 'endpoint') this.#endpoint(data)
    else if (this.#hasEndpoint && (event === undefined || event === 'message')) this.#handler.message(data)
  }

  #endpoint(endpoint: string): void {
    if (this.#hasEndpoint) return
    const path = endpointIn(endpoint, this.#request.target)
    if (path === undefined) {
      this.#end(responseMalformed(this.#server, 'named an endpoint that is none'))
      return
    }
    this.#hasEndpoint = true
    clearTimeout(this.#timer)
    this.#handler.endpoint(path, this.#endpointAddress)
  }

  #end(fault: Fault | undefined): void {
    if (this.#isStopped) return
    this.stop()
    this.#handler.over(fault)
  }
}
