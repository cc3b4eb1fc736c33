import type { GuardRejection, LlmGuards, RequestGuardKind, TextScope } from '../../model/llm-guards.ts'
import { shown, shownFields } from './value.ts'
import type { Hiding, Shown } from './value.ts'

/** Guards as dumps show them: each under the name of its kind, as in the file. */
export function dumpGuards({ request, response, streaming }: LlmGuards, hiding: Hiding): Shown {
  return {
    request: request.map((guard) => dumpGuard(guard, hiding)),
    response: response.map((guard) => dumpGuard(guard, hiding)),
    streaming: streaming.mode === 'Enabled' ? streaming : streaming.mode,
  }
}

interface AnyGuard {
  readonly kind: RequestGuardKind
  readonly rejection: GuardRejection
  readonly scopes?: ReadonlySet<TextScope>
}

function dumpGuard({ kind: { type, ...kind }, rejection, scopes }: AnyGuard, hiding: Hiding): Shown {
  return {
    [type]: shownFields(kind, hiding),
    rejection: shown(rejection, hiding),
    ...(scopes && { scope: [...scopes] }),
  }
}
