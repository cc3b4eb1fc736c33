import { compile } from '../../cel/compile.ts'
import { type CustomFunctions, noCustomFunctions } from '../../cel/custom/custom-functions.ts'
import type { Needs } from '../../cel/needs.ts'
import { toldResult } from '../../cel/told-result.ts'
import { ExchangeContext, type ProcessFacts } from '../../cel/exchange-context.ts'
import type { Evaluate, Evaluated } from '../../model/evaluate.ts'
import type { Cel } from '../../model/policies.ts'

/**
 * Makes functions of exchanges out of expressions; the same text is parsed once.
 *
 * @param noted Told of each what it reads.
 */
export const expressions = (
  facts: ProcessFacts,
  functions: CustomFunctions = noCustomFunctions,
  noted: (needs: Needs) => void = () => undefined,
): ((text: Cel) => Evaluate) => {
  const known = new Map<Cel, Evaluate>()
  return (text) => {
    const evaluate = known.get(text) ?? evaluation(text, facts, functions, noted)
    known.set(text, evaluate)
    return evaluate
  }
}

const evaluation = (
  text: Cel,
  facts: ProcessFacts,
  functions: CustomFunctions,
  noted: (needs: Needs) => void,
): Evaluate => {
  const expression = compile(text, { functions })
  noted(expression.needs)
  const { requestBody, requestBodyPrefix, responseBody, responseBodyPrefix } = expression.needs
  const evaluate: Evaluate = (x) => {
    const began = x.probe?.now()
    const { value, error } = expression.evaluate(new ExchangeContext(x, facts))
    const result: Evaluated = error
      ? { error: error.message, ...(suspicious.has(error.code) && { isSuspect: true }) }
      : { value }
    if (began !== undefined) x.probe?.note({ type: 'cel', expr: text, result: toldResult(result) }, began)
    return result
  }
  return Object.assign(evaluate, {
    readsMcp: expression.needs.variables.has('mcp'),
    reads: {
      requestBody,
      requestBodyPrefix,
      replyBody: responseBody,
      replyBodyPrefix: responseBodyPrefix,
    },
  })
}

/** Failures that a client can bring about in an expression that is all right otherwise. */
const suspicious: ReadonlySet<string> = new Set(['repeated_field', 'limit_exceeded'])
