/** Words of JSON-RPC 2.0, as MCP and A2A use it: ids are texts or numbers, `params` and `result` are objects. */

import type { JsonObject } from '../json/json-object.ts'

export type { JsonObject }

/** Names a request until it has been answered. Fractions are ids too; null is none. */
export type Id = string | number

/** Wants an answer. */
export interface Request {
  readonly jsonrpc: '2.0'
  readonly id: Id
  readonly method: string
  readonly params?: JsonObject | undefined
}

/** Wants none. */
export interface Notification {
  readonly jsonrpc: '2.0'
  readonly method: string
  readonly params?: JsonObject | undefined
}

/** What went wrong. */
export interface ErrorObject {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

/** How a request ended, apart from whose it was. */
export type Outcome = { readonly result: JsonObject } | { readonly error: ErrorObject }

/** An answer. One to a request whose id could not be read has none. */
export type Response = { readonly jsonrpc: '2.0'; readonly id?: Id | null | undefined } & Outcome

/** Anything on the wire. */
export type Message = Request | Notification | Response

/** @returns Whether it asks for an answer. */
export const isRequest = (message: Message): message is Request => 'method' in message && 'id' in message

/** @returns Whether it only tells something. */
export const isNotification = (message: Message): message is Notification =>
  'method' in message && !('id' in message)

/** @returns Whether it is an answer. */
export const isResponse = (message: Message): message is Response => !('method' in message)
