import type { Exchange } from '../../model/exchange.ts'
import type { Rule, Ruling } from '../../model/rules.ts'
import type { RuleResult } from '../../model/trace-event.ts'
import type { AuthorizationRule } from '../authorize.ts'
import { applied } from '../policy-note.ts'

/** What the trace says of the rules that one exchange was measured by. */
export class RulesTold {
  readonly #x: Exchange
  readonly #rules: readonly AuthorizationRule[]
  #results: RuleResult[] = []
  #asked = 0

  constructor(x: Exchange, rules: readonly AuthorizationRule[]) {
    this.#x = x
    this.#rules = rules
  }

  /** A rule was asked. */
  readonly hear = (rule: Rule<Exchange>, holds: boolean | undefined): void => {
    this.#asked++
    if (this.#results.length === MOST) this.#results = this.#results.slice(1)
    const { mode, text, index } = rule
    this.#results.push({
      name: text,
      index,
      mode,
      matched: holds === true,
      ...(holds === undefined && { error: this.#whyNot(index) }),
    })
  }

  /** Puts it into the trace. */
  note({ allowed, by }: Ruling<Exchange>): void {
    const { probe } = this.#x
    const done = allowed ? 'allowed' : 'refused'
    probe?.note({
      type: 'authorizationResult',
      rules: this.#results,
      result: allowed ? 'allow' : 'deny',
      ...(this.#asked > this.#results.length && { omitted: this.#asked - this.#results.length }),
    })
    probe?.note(
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

/** As many rules as a person reads; the last ones, because one of them decided. */
const MOST = 64
