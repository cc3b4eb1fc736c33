import type * as File from '../../../../config/schema/file-types.gen.ts'
import { child } from '../../../../config/document/json-pointer.ts'
import { checkCallout } from '../../../../config/validate/policy-backends.ts'
import { checkGuardTimeout } from './timeout.ts'
import type { ValidationContext } from '../../../../config/validate/context.ts'

interface Cloud {
  readonly host?: string
  readonly policies?: File.SimpleBackendPolicies
  readonly timeout?: string
}

/** Checks that a cloud service can be called. */
export function checkGuardServices(
  view: ValidationContext,
  guard: Cloud,
  pointer: string,
  kind: string,
): void {
  checkCallout(view, {}, guard.policies, pointer, child(pointer, 'policies'))
  checkGuardTimeout(view, guard.timeout, pointer)
  if (kind === 'openAIModeration' && guard.host === undefined && guard.policies?.backendAuth === undefined)
    view.warning(
      pointer,
      'guard_without_credentials',
      'OpenAI wants a key, in policies.backendAuth: without one, every request is answered with 503',
    )
}

/** At least one check must be configured. */
export function checkContentSafety(
  view: ValidationContext,
  { analyzeText, detectJailbreak }: File.LlmContentSafety,
  pointer: string,
  phase: 'request' | 'response',
): void {
  if (analyzeText !== undefined || detectJailbreak !== undefined) return
  view.problem(
    pointer,
    phase === 'request' ? "needs 'analyzeText', 'detectJailbreak' or both" : "needs 'analyzeText'",
    'write {} for its defaults',
  )
}
