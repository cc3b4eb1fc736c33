import type { Id, JsonObject, Message, Outcome } from './message.ts'

/** @returns A request's text. */
export const encodeRpcRequest = (id: Id, method: string, params?: JsonObject): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params })

/** @returns A notification's text. */
export const encodeNotification = (method: string, params?: JsonObject): string =>
  JSON.stringify({ jsonrpc: '2.0', method, params })

/** @param id Null where the request's id could not be read; undefined to leave it out, as MCP does then. */
export const encodeResponse = (id: Id | null | undefined, outcome: Outcome): string =>
  'result' in outcome
    ? JSON.stringify({ jsonrpc: '2.0', id, result: outcome.result })
    : JSON.stringify({ jsonrpc: '2.0', id, error: outcome.error })

/** @returns Any message's text. */
export const encodeMessage = (message: Message): string => JSON.stringify(message)
