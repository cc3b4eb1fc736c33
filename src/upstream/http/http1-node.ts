import { type ClientRequest, type IncomingMessage, request as sendRequest } from 'node:http'
import { responseHeads } from './response/response-heads.ts'
import { responseTrailers } from './response/response-trailers.ts'
import type { UpstreamCall, UpstreamEvents, UpstreamRequest } from '../call.ts'
import type { EndpointAgent } from './endpoint-agent.ts'
import { codeOf, connectFault, malformedResponse, upstreamFault } from '../faults.ts'
import { StreamCall } from './stream-call.ts'

/**
 * Sends over HTTP/1.1 what undici cannot: requests with trailers, and `OPTIONS *`. The body is chunked, since only
 * chunked bodies can have trailers.
 */
export const callNodeHttp = (
  agent: EndpointAgent,
  request: UpstreamRequest,
  events: UpstreamEvents,
): UpstreamCall => {
  const call = new NodeHttpCall(agent, request, events)
  call.send()
  return call
}

const MAX_HEAD_BYTES = 65_536

class NodeHttpCall extends StreamCall {
  readonly #agent: EndpointAgent
  #req: ClientRequest | undefined = undefined
  #connected = false

  constructor(agent: EndpointAgent, request: UpstreamRequest, events: UpstreamEvents) {
    super(request, events)
    this.#agent = agent
  }

  override send(): void {
    const { method, target, headers, body } = this.request
    const hasBody = body.lengthBytes !== 0
    const req = sendRequest({
      agent: this.#agent,
      method,
      path: target,
      headers: hasBody ? chunked(headers) : headers,
      maxHeaderSize: MAX_HEAD_BYTES,
    })
    this.#req = req
    this.#connected = false
    req.on('socket', (socket) => {
      responseHeads(socket).await(this)
      this.#connected = true
      // Not before the connection is open: until then the body may still go to another address.
      if (hasBody) this.sendBody(req)
    })
    req.on('error', (error) => this.#broke(error, req))
    req.on('response', (res) => this.#hasResponded(res))
    req.on('upgrade', (_, socket) => {
      socket.destroy()
      this.fail(malformedResponse('the upstream switched protocols unasked'))
    })
    if (!hasBody) req.end()
  }

  override bodyEnded(trailers: readonly string[] | undefined): void {
    if (trailers) this.#req?.addTrailers(pairs(trailers))
    this.#req?.end()
  }

  protected override releaseConnection(): void {
    this.#req?.destroy()
  }

  #hasResponded(res: IncomingMessage): void {
    res.on('error', (error) => this.fail(upstreamFault(error)))
    res.on('close', () => {
      if (!res.complete) this.fail(upstreamFault(closedEarly()))
    })
    res.on('end', () => this.received(responseTrailers(res.rawTrailers)))
    this.receive(res.statusCode ?? 0, res.rawHeaders, res, this.request.method === 'HEAD', res.rawHeaders)
  }

  #broke(error: Error, req: ClientRequest): void {
    if (this.over || req !== this.#req) return
    const stale = req.reusedSocket && /^(ECONNRESET|EPIPE)$/.test(codeOf(error))
    if (stale && this.resend()) return
    this.fail(this.#connected ? upstreamFault(error) : connectFault(error))
  }
}

const chunked = (headers: readonly string[]): string[] => {
  const fields: string[] = []
  for (let i = 0; i + 1 < headers.length; i += 2)
    if (headers[i]?.toLowerCase() !== 'content-length')
      fields.push(headers[i] as string, headers[i + 1] as string)
  fields.push('transfer-encoding', 'chunked')
  return fields
}

const pairs = (raw: readonly string[]): [string, string][] => {
  const list: [string, string][] = []
  for (let i = 0; i + 1 < raw.length; i += 2) list.push([raw[i] as string, raw[i + 1] as string])
  return list
}

const closedEarly = (): Error => Object.assign(new Error('closed early'), { code: 'UND_ERR_SOCKET' })
