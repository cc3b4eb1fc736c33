import { compile } from '../../cel/compile.ts'
import { type CustomFunctions, noCustomFunctions } from '../../cel/custom/custom-functions.ts'
import { toldResult } from '../../cel/told-result.ts'
import { ExchangeContext, type ProcessFacts } from '../../cel/exchange-context.ts'
import type { Evaluate } from '../../model/evaluate.ts'
import type { Cel } from '../../model/policies.ts'

/** Makes functions of exchanges out of expressions; the same text is parsed once. */
export const expressions = (
  facts: ProcessFacts,
  functions: CustomFunctions = noCustomFunctions,
): ((text: Cel) => Evaluate) => {
  const known = new Map<Cel, Evaluate>()
  return (text) => {
    const evaluate = known.get(text) ?? evaluation(text, facts, functions)
    known.set(text, evaluate)
    return evaluate
  }
}

const evaluation = (text: Cel, facts: ProcessFacts, functions: CustomFunctions): Evaluate => {
  const expression = compile(text, { functions })
  const { requestBody, requestBodyPrefix, responseBody, responseBodyPrefix } = expression.needs
  const evaluate: Evaluate = (x) => {
    const began = x.probe?.now()
    const { value, error } = expression.evaluate(new ExchangeContext(x, facts))
    const result = error ? { error: error.message } : { value }
    if (began !== undefined) x.probe?.note({ type: 'cel', expr: text, result: toldResult(result) }, began)
    return result
  }
  return Object.assign(evaluate, {
    reads: {
      requestBody,
      requestBodyPrefix,
      replyBody: responseBody,
      replyBodyPrefix: responseBodyPrefix,
    },
  })
}
