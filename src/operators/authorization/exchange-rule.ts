import type { Evaluate } from '../../model/exchange/expression.ts'
import type { Exchange } from '../../model/exchange/exchange.ts'
import type { Rule, RuleMode } from '../../model/policies/rule-evaluation.ts'

/** One compiled rule. */
export interface CompiledRule {
  readonly mode: RuleMode
  /** The source of the expression, for the trace. */
  readonly text: string
  readonly expression: Evaluate
  /** Whether the rule applies to an exchange; where it does not, it is ignored. */
  readonly concerns?: ((x: Exchange) => boolean) | undefined
}

/** A rule about exchanges. Evaluates to undefined if its expression fails or gives no boolean. */
export const exchangeRule = (
  { mode, text, expression, concerns }: CompiledRule,
  index: number,
): Rule<Exchange> => ({
  mode,
  index,
  text,
  concerns,
  test: (x) => {
    const result = expression(x)
    return 'value' in result && typeof result.value === 'boolean' ? result.value : undefined
  },
})
