import { Headers } from '../../model/headers.ts'
import type { JsonObject } from '../json-rpc/message.ts'
import { isJsonObject } from '../json/json-object.ts'
import { checkArguments } from './check-arguments.ts'
import { cookieOf, fieldsOf } from './fields-of.ts'
import type { OpenApiTool } from './open-api-tool.ts'
import { pathOf } from './path-of.ts'
import { payloadOf } from './payload-of.ts'
import { own } from './plain-value.ts'
import { queryOf } from './query-of.ts'
import { Unsendable } from './unsendable.ts'

/** The request that a call becomes. */
export interface OpenApiRequest {
  readonly method: string
  /** Path and query, without the prefix of the server. */
  readonly target: string
  /** `accept`, `content-type`, and what the arguments say. */
  readonly headers: Headers
  readonly body: Buffer | undefined
}

/**
 * Makes the request of a call, or says what is wrong with its arguments.
 *
 * @example
 * requestOf(getPet, { path: { id: 7 } }) // { method: 'GET', target: '/pets/7', … }
 */
export const requestOf = (
  tool: OpenApiTool,
  args: unknown,
): OpenApiRequest | { readonly invalid: string } => {
  const invalid = checkArguments(tool, args)
  if (invalid !== undefined) return { invalid }
  try {
    return written(tool, isJsonObject(args) ? args : {})
  } catch (error) {
    if (error instanceof Unsendable) return { invalid: error.message }
    // The stack ended before the arguments did.
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
  const fields = ['accept', plan.accept, ...fieldsOf(plan.header, group('header'))]
  const cookie = cookieOf(plan.cookie, group('cookie'))
  if (cookie !== '') fields.push('cookie', cookie)
  const value = own(args, 'body')
  const payload = plan.body && value !== undefined ? payloadOf(plan.body, value) : undefined
  if (payload) fields.push('content-type', payload.contentType)
  return { method: plan.method, target, headers: new Headers(fields), body: payload?.bytes }
}
