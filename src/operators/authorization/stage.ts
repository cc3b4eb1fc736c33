import type { Authorization, AuthorizationRule } from './schema.ts'
import type { Exchange } from '../../model/exchange/exchange.ts'
import type { McpKind } from '../../model/mcp/mcp-attributes.ts'
import type { Cel } from '../../model/resources/policies.ts'
import type { RuleMode } from '../../model/policies/rule-evaluation.ts'
import { authorization } from './authorization.ts'
import type { CompiledRule } from './exchange-rule.ts'
import type { Phases } from '../phases.ts'
import type { CompileContext } from '../../config/compile/compile-context.ts'

/** Compiles `authorization`; undefined without rules. */
export const authorizeStage = (
  policy: Authorization,
  context: CompileContext,
): Pick<Phases, 'request'> | undefined =>
  policy.rules.length > 0
    ? {
        request: authorization({
          rules: compiledRules(policy.rules, context),
          bufferLimitBytes: context.resources.frontend.http.maxBufferBytes,
        }),
      }
    : undefined

/**
 * Compiles rules. A rule that reads `mcp.tool` applies to tools only, and likewise for the other kinds
 * (see {@link concerning}).
 */
export const compiledRules = (
  rules: readonly AuthorizationRule[],
  { expression, mcpIsKnown = false }: Pick<CompileContext, 'expression' | 'mcpIsKnown'>,
): CompiledRule[] =>
  rules.map(ruleParts).map(([mode, text]) => {
    const evaluate = expression(text)
    return { mode, text, expression: evaluate, concerns: concerning(evaluate.mcpKinds ?? [], mcpIsKnown) }
  })

/**
 * Whether a rule about some kinds of MCP items applies to an exchange: if that is about an item of one of them. Where
 * MCP messages are not parsed, the rule applies and fails to evaluate, so that the mistake is noticed.
 */
const concerning = (
  kinds: readonly McpKind[],
  mcpIsKnown: boolean,
): ((x: Exchange) => boolean) | undefined =>
  kinds.length === 0
    ? undefined
    : ({ protocol: { mcp } }) =>
        mcp === undefined ? !mcpIsKnown : kinds.some((kind) => mcp[kind] !== undefined)

/** The action and the expression of a rule. */
export const ruleParts = (rule: AuthorizationRule): readonly [mode: RuleMode, text: Cel] => {
  if ('deny' in rule) return ['deny', rule.deny]
  return 'require' in rule ? ['require', rule.require] : ['allow', rule.allow]
}
