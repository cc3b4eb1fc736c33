import type { McpFacts } from '../../../../model/mcp-facts.ts'
import type { Exchange } from '../../../../model/exchange.ts'
import { rulesAbout } from '../../../../model/rules.ts'
import type { AuthorizationRule } from '../../../authorize.ts'
import { exchangeRule } from '../../../authorize/exchange-rule.ts'
import { RulesTold } from '../../../authorize/rules-told.ts'

/** Decides who may use what. `facts` are what rules read as `mcp`. */
export type MayUse = (x: Exchange, facts: McpFacts) => boolean

/**
 * Asks rules about one tool, prompt, resource or task. A rule that cannot be evaluated counts against the caller, as in
 * `authorize`.
 */
export const mayUse = (rules: readonly AuthorizationRule[]): MayUse => {
  if (rules.length === 0) return () => true
  const decide = rulesAbout(rules.map(exchangeRule))
  return (x, facts) => {
    const before = x.mcp
    x.mcp = facts
    const told = x.probe && new RulesTold(x, rules)
    const ruling = decide(x, told?.hear)
    told?.note(ruling)
    x.mcp = before
    return ruling.allowed
  }
}
