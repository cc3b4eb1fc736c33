import type { Exchange } from '../../../../model/exchange/exchange.ts'
import type { GuardRejection, LlmGuards, RequestGuardKind, TextScope } from '../schema/normal-form.ts'
import type { GuardCheck, Guard, Guards } from '../guard.ts'
import { invalidGuard } from '../invalid-guard.ts'
import { everyScope } from '../rejection.ts'
import { regexGuard } from '../regex/regex-guard.ts'
import { compileCloudGuard } from './services.ts'
import { compileWebhookGuard } from './webhook.ts'
import type { CompileContext } from '../../../../config/compile/compile-context.ts'

/** Compiles the guards of a model; undefined if it has none. */
export const compileGuards = (guards: LlmGuards | undefined, context: CompileContext): Guards | undefined => {
  if (!guards || guards.request.length + guards.response.length === 0) return undefined
  return {
    request: guards.request.map(({ kind, rejection, scopes }) => compiled(kind, rejection, scopes, context)),
    // Responses are checked whole.
    response: guards.response.map(({ kind, rejection }) => compiled(kind, rejection, everyScope, context)),
    streaming: guards.streaming,
    onGuardEnd: (x, checked) => {
      traceCheck(x, checked)
      context.guardChecked(checked, x.request.id)
    },
  }
}

const compiled = (
  kind: RequestGuardKind,
  rejection: GuardRejection,
  scopes: ReadonlySet<TextScope>,
  context: CompileContext,
): Guard => {
  if (kind.type === 'regex') return regexGuard(kind, rejection, scopes)
  if (kind.type === 'invalid') return invalidGuard(kind.reason, scopes)
  if (kind.type === 'webhook') return compileWebhookGuard(kind, rejection, scopes, context)
  return compileCloudGuard(kind, rejection, scopes, context)
}

/** Traces the guard, its action, duration and reason: nothing of the texts. */
const traceCheck = ({ probe }: Exchange, { guard, phase, action, tookMs, reason }: GuardCheck): void =>
  probe?.record({
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
