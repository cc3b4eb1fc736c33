import type { IncomingMessage } from 'node:http'
import type { Writable } from 'node:stream'

/** One entry of a server's handler table. */
export interface AdminEndpoint {
  readonly path: string
  /** What it answers to; a `GET` endpoint answers `HEAD` too unless it streams. Empty: every method. */
  readonly methods: readonly string[]
  /** One line for the index page. */
  readonly summary: string
  /** It gets the body of the request, when all of it is there. Default: the body is thrown away. */
  readonly takesBody?: boolean
  /** Routes do not lead to it, whatever they say: only the server's own address does. Default false. */
  readonly isForServerOnly?: boolean
  /** Answers. What it throws becomes a 500 without details. */
  handle(call: AdminCall): void | Promise<void>
}

/** One request to an endpoint. */
export interface AdminCall {
  readonly req: Pick<IncomingMessage, 'method' | 'headers'>
  readonly res: EndpointResponse
  readonly query: URLSearchParams
  /** Empty unless the endpoint takes it. */
  readonly body: Buffer
}

/** Where an endpoint answers: the response of a server, or the reply of a route. */
export interface EndpointResponse extends Writable {
  readonly headersSent: boolean
  /** It is the reply of an exchange. */
  readonly isOfRoute?: boolean
  /** Names are lower-case. */
  writeHead(status: number, headers: Readonly<Record<string, string | number>>): unknown
}

/** Answers a short text. */
export const replyText = (
  res: EndpointResponse,
  status: number,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): void => {
  res.writeHead(status, {
    'content-type': 'text/plain;charset=utf-8',
    'content-length': Buffer.byteLength(text),
    ...headers,
  })
  res.end(text)
}

/** Answers a value as JSON. */
export const replyJson = (res: EndpointResponse, status: number, value: unknown): void => {
  replyText(res, status, JSON.stringify(value), { 'content-type': 'application/json' })
}
