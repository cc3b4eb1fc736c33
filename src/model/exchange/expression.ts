import type { Exchange } from './exchange.ts'
import type { McpKind } from '../mcp/mcp-attributes.ts'

/** The result of an expression: a value, or an error. */
export type Evaluated =
  | { readonly value: unknown }
  | {
      readonly error: string
      /**
       * The error may be an attempt to get past a rule: the client repeated a field that is read as one text, or sent
       * so much that the evaluation was stopped. A missing value is ordinary and not suspect.
       */
      readonly isSuspect?: true
    }

/**
 * A compiled expression, evaluated for one exchange. It never throws. Operators take this function instead of the
 * expression, so that they can be tested with literals and do not depend on CEL.
 *
 * Strings, booleans and numbers come as themselves, integers as `bigint` or `number`, bytes as `Uint8Array`.
 *
 * @example
 * const method: Evaluate = (x) => ({ value: x.request.method })
 */
export interface Evaluate {
  (x: Exchange): Evaluated
  /** Bodies that must be buffered before evaluation; the operator that evaluates it does this. */
  readonly reads?: BodiesRead
  /** It reads the attributes of the MCP request, so MCP messages must be parsed before evaluation. */
  readonly readsMcp?: boolean
  /** The kinds of MCP items that it refers to; empty if it refers to none in particular. */
  readonly mcpKinds?: readonly McpKind[]
  /** It reads the scopes of a token: `jwt.scope`, `jwt.scp` or `jwt.scopes`. */
  readonly readsScopes?: boolean
}

/** Which bodies an expression reads, as a whole or a prefix only. */
export interface BodiesRead {
  readonly requestBody?: boolean
  readonly requestBodyPrefix?: boolean
  readonly replyBody?: boolean
  readonly replyBodyPrefix?: boolean
}

/** Whether an expression reads the body of the request, so that its content may make the expression fail. */
export const readsRequestBody = ({ reads }: Evaluate): boolean =>
  (reads?.requestBody ?? false) || (reads?.requestBodyPrefix ?? false)

/** Whether a condition is `true`. An expression that fails, or gives anything else, is not. */
export const isTrue = (condition: Evaluate, x: Exchange): boolean => {
  const result = condition(x)
  return 'value' in result && result.value === true
}
