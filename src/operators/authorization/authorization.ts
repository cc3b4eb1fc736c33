import { DEFAULT_BUFFER_BYTES } from '../../model/exchange/buffer-limit.ts'
import type { Exchange } from '../../model/exchange/exchange.ts'
import { deny } from '../../model/exchange/reply.ts'
import { rulesAbout } from '../../model/policies/rule-evaluation.ts'
import { onRequest, type Operator, type Verdict } from '../../pipeline/stage.ts'
import { type CompiledRule, exchangeRule } from './exchange-rule.ts'
import { refusedBy } from './refusing-rules.ts'
import { RuleTrace } from './rule-trace.ts'
import { bodiesReadBy, withBufferedBodies } from '../body/buffer-body.ts'

/** The rules, and limits for their evaluation. */
export interface AuthorizeOptions {
  readonly rules: readonly CompiledRule[]
  /** Longest request body that rules may read, in bytes; a longer one is refused with 413. 2 MiB by default. */
  readonly bufferLimitBytes?: number | undefined
}

/**
 * Refuses with 403 `authorization failed` unless the rules allow the exchange. A deny rule that matches refuses, and so
 * does a require rule that does not match. If there are allow rules, one of them has to match. Without rules everything
 * passes.
 *
 * A rule that cannot be evaluated, or gives no boolean, counts against the caller. Rules that may refuse and read no
 * body are evaluated before any body is read, so that callers without rights cost no memory.
 *
 * Belongs after everything that authenticates the caller. Costs the evaluation of the rules up to the one that decides.
 */
export const authorization = ({
  rules,
  bufferLimitBytes = DEFAULT_BUFFER_BYTES,
}: AuthorizeOptions): Operator => {
  const all = rules.map(exchangeRule)
  const readsBody = rules.map(({ expression }) => bodiesReadBy([expression]).request !== false)
  if (!readsBody.includes(true)) return onRequest(NAME, verdictOf(rules, rulesAbout(all)))

  const atOnce = all.filter((rule) => rule.mode !== 'allow' && !readsBody[rule.index])
  const first = verdictOf(rules, rulesAbout(atOnce), false)
  const rest = verdictOf(rules, rulesAbout(all.filter((rule) => !atOnce.includes(rule))))
  const bodies = { ...bodiesReadBy(rules.map(({ expression }) => expression)), reply: false }
  const then = withBufferedBodies(bodies, bufferLimitBytes, rest)
  return onRequest(NAME, (x) => first(x) ?? then(x))
}

/** Whether rules allow an exchange: for stages that choose among resources with rules of their own. */
export const allows = (rules: readonly CompiledRule[]): ((x: Exchange) => boolean) => {
  if (rules.length === 0) return () => true
  const decide = rulesAbout(rules.map(exchangeRule))
  return (x) => {
    const trace = x.probe && new RuleTrace(x, rules)
    const ruling = decide(x, trace?.onRule)
    trace?.record(ruling)
    return ruling.allowed
  }
}

const NAME = 'authorization'

/** `isLast`: no other rules are evaluated after these, so that a pass is recorded in the trace. */
const verdictOf =
  (rules: readonly CompiledRule[], decide: ReturnType<typeof rulesAbout<Exchange>>, isLast = true) =>
  (x: Exchange): Verdict => {
    const trace = x.probe && new RuleTrace(x, rules)
    const ruling = decide(x, trace?.onRule)
    if (trace && (isLast || !ruling.allowed)) trace.record(ruling)
    if (ruling.allowed) return undefined
    const refusal = deny(403, 'authorization_failed', { message: 'authorization failed' })
    const { by } = ruling
    return refusedBy(
      refusal,
      rules.filter(({ mode }, index) => (by ? index === by.index : mode === 'allow')),
    )
  }
