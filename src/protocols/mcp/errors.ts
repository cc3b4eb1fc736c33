import { INVALID_PARAMS, METHOD_NOT_FOUND } from '../json-rpc/error-codes.ts'
import type { ErrorObject, JsonObject } from '../json-rpc/message.ts'
import type { Subject } from './methods.ts'
import { revisions } from './revisions.ts'

/** Unknown resource, in revisions with sessions; the others use `INVALID_PARAMS`. */
export const RESOURCE_NOT_FOUND = -32002
/** The headers of a request contradict its message. */
export const HEADER_MISMATCH = -32020
/** The client has not declared a capability that the request needs. */
export const MISSING_CLIENT_CAPABILITY = -32021
/** The revision is unknown or not supported. */
export const UNSUPPORTED_PROTOCOL_VERSION = -32022

/** The error response of a request. */
export interface McpError {
  /** Of the HTTP response. */
  readonly status: number
  readonly error: ErrorObject
}

/** The item is unknown, or the client is not authorized: clients cannot tell which. */
export const unknownItem = ({ kind, name }: Subject): McpError =>
  mcpError(400, INVALID_PARAMS, `Unknown ${kind}: ${name}`, kind === 'resource' ? { uri: name } : undefined)

/** @param problem What is wrong with the params. */
export const invalidParams = (problem: string): McpError =>
  mcpError(400, INVALID_PARAMS, `invalid request parameters: ${problem}`)

/** Without prefixes, several servers have this name. */
export const ambiguousItem = ({ kind, name }: Subject): McpError =>
  invalidParams(`${kind} ${name} is served by multiple targets`)

/** For revisions without sessions; older clients take status 404 for the end of their session. */
export const methodNotFound = (method: string): McpError =>
  mcpError(404, METHOD_NOT_FOUND, `method not found: ${method}`)

/** As `methodNotFound`, for a request of a session. */
export const methodNotFoundInSession = (method: string): McpError =>
  mcpError(200, METHOD_NOT_FOUND, `method not found: ${method}`)

/** @param problem Which field, and how: see `mismatchedHeader` and `mismatchedParam`. */
export const headerMismatch = (problem: string): McpError => mcpError(400, HEADER_MISMATCH, problem)

/** @param needed The capabilities that the client has to declare. */
export const missingClientCapability = (needed: JsonObject): McpError =>
  mcpError(
    400,
    MISSING_CLIENT_CAPABILITY,
    `missing required client capability: ${Object.keys(needed).join(', ')}`,
    { requiredCapabilities: needed },
  )

/** @param supported Revisions that are supported. */
export const unsupportedVersion = (requested: string, supported: readonly string[] = revisions): McpError =>
  mcpError(400, UNSUPPORTED_PROTOCOL_VERSION, `unsupported MCP protocol version: ${requested}`, {
    supported,
    requested,
  })

const mcpError = (status: number, code: number, message: string, data?: unknown): McpError => ({
  status,
  error: data === undefined ? { code, message } : { code, message, data },
})
