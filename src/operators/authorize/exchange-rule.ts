import type { Exchange } from '../../model/exchange.ts'
import type { Rule } from '../../model/rules.ts'
import type { AuthorizationRule } from '../authorize.ts'

/** A rule about exchanges. It has no answer if its expression cannot be evaluated, or gives no boolean. */
export const exchangeRule = (
  { mode, text, expression }: AuthorizationRule,
  index: number,
): Rule<Exchange> => ({
  mode,
  index,
  text,
  test: (x) => {
    const result = expression(x)
    return 'value' in result && typeof result.value === 'boolean' ? result.value : undefined
  },
})
