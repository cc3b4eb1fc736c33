/**
 * Types of JSON-RPC 2.0, as MCP and A2A use it: ids are strings or numbers, `params` and `result` are
 * objects.
 */

import type { JsonObject } from '../json/json-object.ts'

export type { JsonObject }

/** Identifies a request until its response. Fractions are valid ids; null is not. */
export type Id = string | number

/** Expects a response. */
export interface JsonRpcRequest {
  readonly jsonrpc: '2.0'
  readonly id: Id
  readonly method: string
  readonly params?: JsonObject | undefined
}

/** Expects no response. */
export interface Notification {
  readonly jsonrpc: '2.0'
  readonly method: string
  readonly params?: JsonObject | undefined
}

/** The error of a failed request. */
export interface ErrorObject {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

/** The result or error of a request, without its id. */
export type Outcome = { readonly result: JsonObject } | { readonly error: ErrorObject }

/** A response. It has no id if that of the request could not be read. */
export type Response = { readonly jsonrpc: '2.0'; readonly id?: Id | null | undefined } & Outcome

/** Any JSON-RPC message. */
export type Message = JsonRpcRequest | Notification | Response

/** Whether a message is a request. */
export const isRequest = (message: Message): message is JsonRpcRequest =>
  'method' in message && 'id' in message

/** Whether a message is a notification. */
export const isNotification = (message: Message): message is Notification =>
  'method' in message && !('id' in message)

/** Whether a message is a response. */
export const isResponse = (message: Message): message is Response => !('method' in message)
