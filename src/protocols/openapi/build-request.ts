import { Headers } from '../../model/exchange/headers.ts'
import type { JsonObject } from '../json-rpc/message.ts'
import { isJsonObject } from '../json/json-object.ts'
import { checkArguments } from './validate-arguments.ts'
import { cookieOf, serializedHeaders } from './serialize/headers.ts'
import type { OpenApiTool } from './open-api-tool.ts'
import { pathOf } from './serialize/path.ts'
import { bodyPayload } from './serialize/body.ts'
import { own } from './own-property.ts'
import { queryOf } from './serialize/query.ts'
import { InvalidArgument } from './serialize/invalid-argument.ts'

/** The HTTP request of a tool call. */
export interface OpenApiRequest {
  readonly method: string
  /** Path and query, without the prefix of the server. */
  readonly target: string
  /** `accept`, `content-type`, and the header arguments. */
  readonly headers: Headers
  readonly body: Buffer | undefined
}

/**
 * Builds the request of a call, or returns the problem of its arguments.
 *
 * @example
 * buildRequest(getPet, { path: { id: 7 } }) // { method: 'GET', target: '/pets/7', … }
 */
export const buildRequest = (
  tool: OpenApiTool,
  args: unknown,
): OpenApiRequest | { readonly invalid: string } => {
  const invalid = checkArguments(tool, args)
  if (invalid !== undefined) return { invalid }
  try {
    return written(tool, isJsonObject(args) ? args : {})
  } catch (error) {
    if (error instanceof InvalidArgument) return { invalid: error.message }
    // The arguments are nested deeper than the stack.
    if (error instanceof RangeError) return { invalid: 'arguments are nested too deeply' }
    throw error
  }
}

const written = ({ plan }: OpenApiTool, args: JsonObject): OpenApiRequest => {
  const group = (name: string): JsonObject => {
    const value = own(args, name)
    return isJsonObject(value) ? value : {}
  }
  const target = pathOf(plan.path, group('path')) + queryOf(plan.query, group('query'))
  const fields = ['accept', plan.accept, ...serializedHeaders(plan.header, group('header'))]
  const cookie = cookieOf(plan.cookie, group('cookie'))
  if (cookie !== '') fields.push('cookie', cookie)
  const value = own(args, 'body')
  const payload = plan.body && value !== undefined ? bodyPayload(plan.body, value) : undefined
  if (payload) fields.push('content-type', payload.contentType)
  return { method: plan.method, target, headers: new Headers(fields), body: payload?.bytes }
}
