import type { McpAttributes } from '../../../model/mcp/mcp-attributes.ts'
import type { Exchange } from '../../../model/exchange/exchange.ts'
import { rulesAbout } from '../../../model/policies/rule-evaluation.ts'
import type { CompiledRule } from '../../authorization/exchange-rule.ts'
import { exchangeRule } from '../../authorization/exchange-rule.ts'
import { RuleTrace } from '../../authorization/rule-trace.ts'

/** Authorizes the use of an item. `attributes` are what rules read as `mcp`. */
export type MayUse = (x: Exchange, attributes: McpAttributes) => boolean

/**
 * Evaluates rules for one tool, prompt, resource or task. A rule that cannot be evaluated counts against the caller, as
 * in `authorization`; rules about other kinds are ignored.
 */
export const mayUse = (rules: readonly CompiledRule[]): MayUse => {
  if (rules.length === 0) return () => true
  const decide = rulesAbout(rules.map(exchangeRule))
  return (x, attributes) => {
    const before = x.protocol.mcp
    x.protocol.mcp = attributes
    const trace = x.probe && new RuleTrace(x, rules)
    const ruling = decide(x, trace?.onRule)
    trace?.record(ruling)
    x.protocol.mcp = before
    return ruling.allowed
  }
}
