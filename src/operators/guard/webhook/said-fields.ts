import type { Evaluate } from '../../../model/evaluate.ts'
import type { Exchange } from '../../../model/exchange.ts'
import { parseAuthority } from '../../../protocols/http/authority.ts'
import { isToken } from '../../../protocols/http/field-syntax.ts'
import type { Question } from '../../../upstream/ask.ts'
import { isEditable } from '../../editable-field.ts'
import { evaluatedText } from '../../header-text.ts'

/** What expressions say about the head of a question. Without a value there is none: it failed, or gave no text. */
export type SaidFields = readonly (readonly [name: string, value: string | undefined])[]

/** Headers and the expressions that give them: names are lower-case, or those of HTTP/2 with a colon. */
export type FieldExpressions = readonly (readonly [name: string, value: Evaluate])[]

/** Evaluates them about a request. */
export const saidFields = (expressions: FieldExpressions, x: Exchange): SaidFields =>
  expressions.map(([name, evaluate]) => [name, evaluatedText(evaluate(x))])

/** The same for a question about the answer, where the body of the request does not exist any more. */
export const saidFieldsOfReply = (expressions: FieldExpressions, x: Exchange): SaidFields => {
  const { llm } = x
  const body = llm?.request
  if (llm) llm.request = undefined
  try {
    return saidFields(expressions, x)
  } finally {
    if (llm) llm.request = body
  }
}

/** The part of a question that expressions may settle. */
export type QuestionHead = Pick<Question, 'method' | 'target' | 'headers' | 'authority'>

/**
 * The head as expressions want it. What has no value takes its header away, and leaves path, method and authority as they
 * were; so does a value that cannot be one.
 */
export const withSaid = (head: QuestionHead, said: SaidFields): QuestionHead => {
  let { method, target, authority } = head
  const { headers } = head
  for (const [name, value] of said) {
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
