import type { Evaluate } from '../../../../model/exchange/expression.ts'
import type { Exchange } from '../../../../model/exchange/exchange.ts'
import { parseAuthority } from '../../../../protocols/http/authority.ts'
import { isToken } from '../../../../protocols/http/field-syntax.ts'
import type { CalloutRequest } from '../../../../upstream/http-callout.ts'
import { isEditable } from '../../../headers/protected-headers.ts'
import { evaluatedText, writtenText } from '../../../headers/header-value.ts'

/**
 * Values of the expressions for the head of a callout. Undefined if the evaluation failed, or the result is not a
 * text.
 */
export type HeaderExpressions = readonly (readonly [name: string, value: string | undefined])[]

/** Header names with their expressions: lower-case, or pseudo-headers of HTTP/2 with a colon. */
export type FieldExpressions = readonly (readonly [name: string, value: Evaluate])[]

/** Evaluates the expressions with a request. */
export const evaluateHeaders = (expressions: FieldExpressions, x: Exchange): HeaderExpressions =>
  expressions.map(([name, evaluate]) => {
    const result = evaluate(x)
    // A pseudo-header has no fallback text.
    return [name, isEditable(name) ? writtenText(name, result) : evaluatedText(result)]
  })

/** The same for the response phase, in which the body of the request is no longer available. */
export const evaluateReplyHeaders = (expressions: FieldExpressions, x: Exchange): HeaderExpressions => {
  const { llm } = x.protocol
  const body = llm?.request
  if (llm) llm.request = undefined
  try {
    return evaluateHeaders(expressions, x)
  } finally {
    if (llm) llm.request = body
  }
}

/** The part of a callout that expressions may set. */
export type WebhookRequestHead = Pick<CalloutRequest, 'method' | 'target' | 'headers' | 'authority'>

/**
 * Applies the values to the head. An undefined value removes its header, and leaves path, method and authority as
 * they are; so does an invalid value.
 */
export const withHeaders = (head: WebhookRequestHead, values: HeaderExpressions): WebhookRequestHead => {
  let { method, target, authority } = head
  const { headers } = head
  for (const [name, value] of values) {
    if (name === ':path') target = value !== undefined && isTarget.test(value) ? value : target
    else if (name === ':method') method = value !== undefined && isMethod(value) ? value : method
    else if (name === ':authority' || name === 'host')
      authority = parseAuthority(value ?? '')?.authority ?? authority
    else if (!isEditable(name)) continue
    else if (value === undefined) headers.delete(name)
    else headers.set(name, value)
  }
  return { method, target, headers, authority }
}

const isTarget = /^\/[\x21-\x7e]*$/

const isMethod = (text: string): boolean => isToken(text) && text !== 'CONNECT'
