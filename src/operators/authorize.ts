import type { Evaluate } from '../model/evaluate.ts'
import type { Exchange } from '../model/exchange.ts'
import { deny } from '../model/reply.ts'
import { type RuleMode, rulesAbout } from '../model/rules.ts'
import { onRequest, type Operator, type Verdict } from '../pipeline/stage.ts'
import { exchangeRule } from './authorize/exchange-rule.ts'
import { RulesTold } from './authorize/rules-told.ts'
import { bodiesReadBy, holding } from './body/hold.ts'

/** One rule, by expression. */
export interface AuthorizationRule {
  readonly mode: RuleMode
  /** As it was written, for the trace. */
  readonly text: string
  readonly expression: Evaluate
}

/** Who may pass. */
export interface AuthorizeOptions {
  readonly rules: readonly AuthorizationRule[]
  /** How much of a request body rules may read; a longer one is refused with 413. */
  readonly bufferLimitBytes: number
}

/**
 * Answers 403 `authorization failed` to whom the rules do not let pass. Any deny rule that holds refuses, so does any
 * require rule that does not; then one allow rule is enough, and none is needed if there are no allow rules. Without
 * rules everything passes.
 *
 * A rule that cannot be evaluated, or gives no boolean, counts against the caller. Rules that may refuse and read no body
 * are asked before any body is read, so that callers without rights fill no memory.
 *
 * Belongs after everything that proves who is calling. Costs the evaluation of the rules up to the one that decides.
 */
export const authorize = ({ rules, bufferLimitBytes }: AuthorizeOptions): Operator => {
  const all = rules.map(exchangeRule)
  const readsBody = rules.map(({ expression }) => bodiesReadBy([expression]).request !== false)
  if (!readsBody.includes(true)) return onRequest(NAME, judge(rules, rulesAbout(all)))

  const atOnce = all.filter((rule) => rule.mode !== 'allow' && !readsBody[rule.index])
  const first = judge(rules, rulesAbout(atOnce), false)
  const rest = judge(rules, rulesAbout(all.filter((rule) => !atOnce.includes(rule))))
  const held = { ...bodiesReadBy(rules.map(({ expression }) => expression)), reply: false }
  const then = holding(held, bufferLimitBytes, rest)
  return onRequest(NAME, (x) => first(x) ?? then(x))
}

/** Whether rules let an exchange pass: for stages that choose among things that have rules of their own. */
export const letsPass = (rules: readonly AuthorizationRule[]): ((x: Exchange) => boolean) => {
  if (rules.length === 0) return () => true
  const decide = rulesAbout(rules.map(exchangeRule))
  return (x) => {
    const told = x.probe && new RulesTold(x, rules)
    const ruling = decide(x, told?.hear)
    told?.note(ruling)
    return ruling.allowed
  }
}

const NAME = 'authorization'

/** `isLast`: no other rules are asked after these, so that passing is worth telling. */
const judge =
  (rules: readonly AuthorizationRule[], decide: ReturnType<typeof rulesAbout<Exchange>>, isLast = true) =>
  (x: Exchange): Verdict => {
    const told = x.probe && new RulesTold(x, rules)
    const ruling = decide(x, told?.hear)
    if (told && (isLast || !ruling.allowed)) told.note(ruling)
    return ruling.allowed ? undefined : deny(403, 'authorization_failed', { message: 'authorization failed' })
  }
