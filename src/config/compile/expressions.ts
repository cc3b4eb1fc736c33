import { compile } from '../../cel/compile.ts'
import { ExchangeContext, type ProcessAttributes } from '../../cel/context/exchange-context.ts'
import { type CustomFunctions, noCustomFunctions } from '../../cel/custom/custom-functions.ts'
import type { AttributeReferences } from '../../cel/engine/attribute-references.ts'
import { tracedResult } from '../../cel/engine/traced-result.ts'
import { identifyingText } from '../../cel/values/canonical-text.ts'
import type { Evaluate, Evaluated } from '../../model/exchange/expression.ts'
import type { McpKind } from '../../model/mcp/mcp-attributes.ts'
import type { Cel } from '../../model/resources/policies.ts'
import { SCOPE_CLAIMS } from '../../operators/mcp-authentication/scope-check.ts'

/** Makes an expression return a unique text for each value, for use as a key. Credentials are included; null is no key. */
export const keyExpression =
  (expression: Evaluate): Evaluate =>
  (x) => {
    const result = expression(x)
    if (!('value' in result)) return result
    const { value } = result
    return typeof value === 'string' || value === null || value === undefined
      ? result
      : { value: identifyingText([value]) }
  }

/**
 * Compiles expressions to functions of exchanges, once for each text.
 *
 * @param noted Called with the references of each expression.
 */
export const expressions = (
  facts: ProcessAttributes,
  functions: CustomFunctions = noCustomFunctions,
  noted: (needs: AttributeReferences) => void = () => undefined,
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
  facts: ProcessAttributes,
  functions: CustomFunctions,
  noted: (needs: AttributeReferences) => void,
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
    if (began !== undefined) x.probe?.note({ type: 'cel', expr: text, result: tracedResult(result) }, began)
    return result
  }
  return Object.assign(evaluate, {
    readsMcp: expression.needs.variables.has('mcp'),
    mcpKinds: mcpKindsIn(expression.needs),
    readsScopes: SCOPE_CLAIMS.some((name) => expression.needs.fields.has(`jwt.${name}`)),
    reads: {
      requestBody,
      requestBodyPrefix,
      replyBody: responseBody,
      replyBodyPrefix: responseBodyPrefix,
    },
  })
}

/** The kinds of items that are read. None if `mcp` is read as a whole or by a computed key; `has(mcp.tool)` reads nothing. */
const mcpKindsIn = ({ used }: AttributeReferences): readonly McpKind[] =>
  used.has('mcp.*') ? [] : kinds.filter((kind) => used.has(`mcp.${kind}`))

const kinds: readonly McpKind[] = ['tool', 'prompt', 'resource', 'task']

/** Errors that clients can cause in correct expressions. */
const suspicious: ReadonlySet<string> = new Set(['repeated_field', 'repeated_member', 'limit_exceeded'])
