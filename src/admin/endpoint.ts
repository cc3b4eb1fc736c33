import type { IncomingMessage } from 'node:http'
import type { Writable } from 'node:stream'
import type { AdminParameter } from './parameters.ts'

/** One entry of a server's handler table. */
export interface AdminEndpoint {
  readonly path: string
  /** Allowed methods; a `GET` endpoint allows `HEAD` too unless it streams. Empty: every method. */
  readonly methods: readonly string[]
  /** One line for the index page. */
  readonly summary: string
  /** Heading on the index page. Default `process`. */
  readonly group?: AdminGroup
  /**
   * Parameters of the query. All others get 400, as do values outside the declared ones; a handler checks what a
   * declaration cannot express. Default: none. `ignored` is for callers that send the same parameters to many servers,
   * such as probes and scrapers.
   */
  readonly parameters?: readonly AdminParameter[] | 'ignored'
  /** Text after the error of a wrong parameter. */
  readonly usage?: string
  /** Whether it gets the body of the request, once complete. Default: the body is discarded. */
  readonly takesBody?: boolean
  /** Whether it is reachable only at the server's own address, and not through routes. Default false. */
  readonly isForServerOnly?: boolean
  /** Handles a request. An exception becomes a 500 without details. */
  handle(call: AdminCall): void | Promise<void>
}

/** Headings of the index page, in its order. */
export const adminGroups = ['configuration', 'traffic', 'process'] as const

/** A heading of the index page. */
export type AdminGroup = (typeof adminGroups)[number]

/** One request to an endpoint. */
export interface AdminCall {
  readonly req: Pick<IncomingMessage, 'method' | 'headers'>
  readonly res: EndpointResponse
  readonly query: URLSearchParams
  /** Empty unless the endpoint takes a body. */
  readonly body: Buffer
}

/** The response of an endpoint, on a server or as the reply of a route. */
export interface EndpointResponse extends Writable {
  readonly headersSent: boolean
  /** Whether it is the reply of an exchange. */
  readonly isOfRoute?: boolean
  /** Header names are lower-case. */
  writeHead(status: number, headers: Readonly<Record<string, string | number>>): unknown
}

/** Replies with a short text. */
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

/** Replies with a text that quotes a request or a configuration: control characters that terminals obey are escaped. */
export const replyQuoting = (
  res: EndpointResponse,
  status: number,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): void => {
  replyText(res, status, text.replace(controls, escaped), headers)
}

const controls = /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

const escaped = (character: string): string =>
  `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`

/** Replies with a value as JSON. */
export const replyJson = (res: EndpointResponse, status: number, value: unknown): void => {
  replyText(res, status, JSON.stringify(value), { 'content-type': 'application/json' })
}
