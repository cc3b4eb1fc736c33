import type * as File from '../file-types.gen.ts'
import { child } from '../instance-path.ts'
import { examineAsked } from './policy-backends.ts'
import { examineTimeout } from './guard-timeout.ts'
import type { View } from './view.ts'

interface Cloud {
  readonly host?: string
  readonly policies?: File.SimpleBackendPolicies
  readonly timeout?: string
}

/** The service of a cloud: that it can be asked. */
export function examineCloud(view: View, guard: Cloud, pointer: string, kind: string): void {
  examineAsked(view, {}, guard.policies, pointer, child(pointer, 'policies'))
  examineTimeout(view, guard.timeout, pointer)
  if (kind === 'openAIModeration' && guard.host === undefined && guard.policies?.backendAuth === undefined)
    view.warning(
      pointer,
      'guard_without_credentials',
      'OpenAI wants a key, in policies.backendAuth: without one, every request is answered with 503',
    )
}

/** Something has to be looked for. */
export function examineAzure(
  view: View,
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
