import type { Exchange } from './exchange.ts'
import type { McpKind } from '../mcp/mcp-attributes.ts'

/** What an expression gave: a value, or why there is none. */
export type Evaluated =
  | { readonly value: unknown }
  | {
      readonly error: string
      /**
       * Not that something is missing, which is ordinary: the client has sent a field twice that is read as one text, or
       * so much that the expression was stopped. It may mean to get past something.
       */
      readonly isSuspect?: true
    }

/**
 * A compiled expression, asked about one exchange. It never throws. Operators take this function instead of the
 * expression, so that they can be tested with literals and know nothing about CEL.
 *
 * Strings, booleans and numbers come as themselves, integers as `bigint` or `number`, bytes as `Uint8Array`.
 *
 * @example
 * const method: Evaluate = (x) => ({ value: x.request.method })
 */
export interface Evaluate {
  (x: Exchange): Evaluated
  /** Bodies that must be in memory before it is asked; the operator that asks sees to it. */
  readonly reads?: BodiesRead
  /** It reads what an MCP client asks for. Where messages are MCP, they must be understood before it is asked. */
  readonly readsMcp?: boolean
  /** The kinds of MCP items that it says something about; empty if it is about none in particular. */
  readonly mcpKinds?: readonly McpKind[]
  /** It reads what a token permits: `jwt.scope`, `jwt.scp` or `jwt.scopes`. */
  readonly readsScopes?: boolean
}

/** Which bodies an expression reads, and whether all of them or their beginnings only. */
export interface BodiesRead {
  readonly requestBody?: boolean
  readonly requestBodyPrefix?: boolean
  readonly replyBody?: boolean
  readonly replyBodyPrefix?: boolean
}

/** Whether an expression may fail because of what is in the body of the request. */
export const readsRequestBody = ({ reads }: Evaluate): boolean =>
  (reads?.requestBody ?? false) || (reads?.requestBodyPrefix ?? false)

/** Whether a condition holds: an expression that fails, or gives anything but `true`, does not. */
export const isTrue = (condition: Evaluate, x: Exchange): boolean => {
  const result = condition(x)
  return 'value' in result && result.value === true
}
