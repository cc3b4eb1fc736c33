import { type AuthorizationError, AuthorizationError_Code as Code } from '../../protocols/grpc/ext-mcp.gen.ts'
import { INTERNAL_ERROR } from '../../protocols/json-rpc/error-codes.ts'
import type { ErrorObject } from '../../protocols/json-rpc/message.ts'
import { objectIn } from './object-in.ts'

/** What a caller is told whom a processor refused. What the processor says of it itself counts, if it is an error. */
export const refusalOf = ({ code, reason, mcpError }: AuthorizationError): ErrorObject => {
  const own = mcpError && errorIn(mcpError)
  return own ?? { code: codes.get(code) ?? INTERNAL_ERROR, message: reason || 'refused by a guardrail' }
}

const errorIn = (bytes: Uint8Array): ErrorObject | undefined => {
  const { code, message, data } = objectIn(bytes) ?? {}
  if (typeof code !== 'number' || !Number.isInteger(code) || typeof message !== 'string') return undefined
  return { code, message, ...(data === undefined ? {} : { data }) }
}

const codes: ReadonlyMap<Code, number> = new Map([
  [Code.PERMISSION_DENIED, -32001],
  [Code.RESOURCE_EXHAUSTED, -32003],
  [Code.INVALID, -32600],
])
