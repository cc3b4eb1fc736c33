import type { Exchange } from '../../model/exchange/exchange.ts'
import type { Rule, Ruling } from '../../model/policies/rule-evaluation.ts'
import type { RuleResult } from '../../model/trace/trace-event.ts'
import type { CompiledRule } from './exchange-rule.ts'
import { applied } from '../trace-policy.ts'

/** Collects the results of the rules that were evaluated for one exchange, for the trace. */
export class RuleTrace {
  readonly #x: Exchange
  readonly #rules: readonly CompiledRule[]
  #results: RuleResult[] = []
  #evaluated = 0

  constructor(x: Exchange, rules: readonly CompiledRule[]) {
    this.#x = x
    this.#rules = rules
  }

  /** Called for each evaluated rule. */
  readonly onRule = (rule: Rule<Exchange>, matches: boolean | undefined): void => {
    this.#evaluated++
    if (this.#results.length === MOST) this.#results = this.#results.slice(1)
    const { mode, text, index } = rule
    this.#results.push({
      name: text,
      index,
      mode,
      matched: matches === true,
      ...(matches === undefined && { error: this.#whyNot(index) }),
    })
  }

  /** Writes the results into the trace. */
  record({ allowed, by }: Ruling<Exchange>): void {
    const { probe } = this.#x
    const done = allowed ? 'allowed' : 'refused'
    probe?.record({
      type: 'authorizationResult',
      rules: this.#results,
      result: allowed ? 'allow' : 'deny',
      ...(this.#evaluated > this.#results.length && { omitted: this.#evaluated - this.#results.length }),
    })
    probe?.record(
      applied(
        'authorization',
        by
          ? `${done} by rules[${by.index}], ${by.mode}: ${by.text}`
          : allowed
            ? 'allowed: no rule refuses'
            : 'refused: no allow rule holds',
      ),
    )
  }

  #whyNot(index: number): string {
    const result = this.#rules[index]?.expression(this.#x)
    return result && 'error' in result ? result.error : 'gave no boolean'
  }
}

/** More rules than this are of no use to a reader. The last ones are kept, because one of them decided. */
const MOST = 64
