import type { IncomingMessage, ServerResponse } from 'node:http'

/** One entry of a server's handler table. */
export interface Endpoint {
  readonly path: string
  /** What it answers to; a `GET` endpoint answers `HEAD` too unless it streams. Empty: every method. */
  readonly methods: readonly string[]
  /** One line for the index page. */
  readonly summary: string
  /** It gets the body of the request, when all of it is there. Default: the body is thrown away. */
  readonly takesBody?: boolean
  /** Answers. What it throws becomes a 500 without details. */
  handle(call: Call): void | Promise<void>
}

/** One request to an endpoint. */
export interface Call {
  readonly req: IncomingMessage
  readonly res: ServerResponse
  readonly query: URLSearchParams
  /** Empty unless the endpoint takes it. */
  readonly body: Buffer
}

/** Answers a short text. */
export const answerText = (
  res: ServerResponse,
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
export const answerJson = (res: ServerResponse, status: number, value: unknown): void => {
  answerText(res, status, JSON.stringify(value), { 'content-type': 'application/json' })
}
