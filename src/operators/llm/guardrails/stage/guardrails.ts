import type { Exchange } from '../../model/exchange.ts'
import type { GuardRejection, LlmGuards, RequestGuardKind, TextScope } from '../../model/llm-guards.ts'
import type { Guard } from '../../operators/guard/guard.ts'
import type { Checked, Guards } from '../../operators/guard/guards.ts'
import { everyScope } from '../../operators/guard/reject-with.ts'
import { regexGuard } from '../../operators/guard/regex/regex-guard.ts'
import { compileCloudGuard } from './cloud-guards.ts'
import { compileWebhookGuard } from './webhook-guard.ts'
import type { Workshop } from './workshop.ts'

/** Makes the guards of a model; undefined if it has none. */
export const compileGuards = (guards: LlmGuards | undefined, workshop: Workshop): Guards | undefined => {
  if (!guards || guards.request.length + guards.response.length === 0) return undefined
  return {
    request: guards.request.map(({ kind, rejection, scopes }) => compiled(kind, rejection, scopes, workshop)),
    // Answers are seen whole.
    response: guards.response.map(({ kind, rejection }) => compiled(kind, rejection, everyScope, workshop)),
    streaming: guards.streaming,
    settle: (x, checked) => {
      tellWatchers(x, checked)
      workshop.guardChecked(checked, x.request.id)
    },
  }
}

const compiled = (
  kind: RequestGuardKind,
  rejection: GuardRejection,
  scopes: ReadonlySet<TextScope>,
  workshop: Workshop,
): Guard => {
  if (kind.type === 'regex') return regexGuard(kind, rejection, scopes)
  if (kind.type === 'webhook') return compileWebhookGuard(kind, rejection, scopes, workshop)
  return compileCloudGuard(kind, rejection, scopes, workshop)
}

/** Who decided what, how long it took and why: nothing of what was said. */
const tellWatchers = ({ probe }: Exchange, { guard, phase, action, tookMs, reason }: Checked): void =>
  probe?.note({
    type: 'policyEvent',
    kind: 'guardrail',
    details: {
      guard,
      phase,
      action,
      tookUs: Math.round(tookMs * 1000),
      ...(reason !== undefined && { reason }),
    },
  })
