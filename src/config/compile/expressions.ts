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

/**
 * Compiles an expression to a function that returns a text that identifies its value, credentials included; null is
 * no key.
 */
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

/** Compiles an expression. `onReferences` is called with the attributes that it reads, also if it is known already. */
export type CompileExpression = (
  text: Cel,
  onReferences?: (references: AttributeReferences) => void,
) => Evaluate

/** Compiles expressions to functions of exchanges; the same text is parsed once. */
export const expressions = (
  attributes: ProcessAttributes,
  functions: CustomFunctions = noCustomFunctions,
): CompileExpression => {
  const known = new Map<Cel, readonly [Evaluate, AttributeReferences]>()
  return (text, onReferences) => {
    const entry = known.get(text) ?? evaluation(text, attributes, functions)
    known.set(text, entry)
    const [evaluate, references] = entry
    onReferences?.(references)
    return evaluate
  }
}

const evaluation = (
  text: Cel,
  attributes: ProcessAttributes,
  functions: CustomFunctions,
): readonly [Evaluate, AttributeReferences] => {
  const expression = compile(text, { functions })
  const { requestBody, requestBodyPrefix, responseBody, responseBodyPrefix } = expression.references
  const evaluate: Evaluate = (x) => {
    const began = x.probe?.now()
    const { value, error } = expression.evaluate(new ExchangeContext(x, attributes))
    const result: Evaluated = error
      ? { error: error.message, ...(suspicious.has(error.code) && { isSuspect: true }) }
      : { value }
    if (began !== undefined) x.probe?.record({ type: 'cel', expr: text, result: tracedResult(result) }, began)
    return result
  }
  const described = Object.assign(evaluate, {
    readsMcp: expression.references.variables.has('mcp'),
    mcpKinds: mcpKindsIn(expression.references),
    readsScopes: SCOPE_CLAIMS.some((name) => expression.references.fields.has(`jwt.${name}`)),
    reads: {
      requestBody,
      requestBodyPrefix,
      replyBody: responseBody,
      replyBodyPrefix: responseBodyPrefix,
    },
  })
  return [described, expression.references]
}

/**
 * An expression that reads `mcp` as a whole, or by a computed key, has no kind. A test for a kind, as in
 * `has(mcp.tool)`, does not count as reading.
 */
const mcpKindsIn = ({ used }: AttributeReferences): readonly McpKind[] =>
  used.has('mcp.*') ? [] : kinds.filter((kind) => used.has(`mcp.${kind}`))

const kinds: readonly McpKind[] = ['tool', 'prompt', 'resource', 'task']

/** Failures that a client can cause in a correct expression. */
const suspicious: ReadonlySet<string> = new Set(['repeated_field', 'repeated_member', 'limit_exceeded'])
