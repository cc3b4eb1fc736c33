import { type IncomingHttpHeaders, request } from 'node:http'
import { text } from 'node:stream/consumers'

/** A complete response. */
export interface ReceivedResponse {
  readonly status: number
  readonly version: string
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

export interface RequestParts {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string | string[]>>
  readonly body?: string | Buffer
  /** Cancels the request, and rejects. */
  readonly signal?: AbortSignal
}

/** Sends one request on its own connection. The target is sent as it is, which `fetch` does not allow. */
export const sendRequest = (
  base: string,
  target: string,
  parts: RequestParts = {},
): Promise<ReceivedResponse> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(base)
    const { method = 'GET', signal } = parts
    const headers = { ...parts.headers, ...lengthOf(parts.body) }
    const options = { hostname, port, path: target, method, headers, agent: false }
    const req = request(signal ? { ...options, signal } : options, (res) => {
      const { statusCode: status = 0, httpVersion: version } = res
      text(res).then((body) => resolve({ status, version, headers: res.headers, text: body }), reject)
    })
    req.on('error', reject)
    req.end(parts.body)
  })

const lengthOf = (body: string | Buffer | undefined): Record<string, string> =>
  body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
