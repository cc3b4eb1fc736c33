import type * as File from '../../../../config/schema/file-types.gen.ts'
import { child } from '../../../../config/document/json-pointer.ts'
import { aiPolicyLocations, llmModels } from '../../validate/locations.ts'
import type { Check } from '../../../../config/validate/context.ts'

/** Warns of guards without effect, and of guarded requests that would pass unchecked. */
export const checkUnusedGuardrails: Check = (view) => {
  const { llm } = view.file
  for (const { value, pointer } of llmModels(view))
    if (
      value.passthrough !== undefined &&
      [llm?.policies?.guardrails, llm?.guardrails, value.guardrails].some(some)
    )
      view.warning(child(pointer, 'passthrough'), 'guarded_passthrough', REFUSED)
  for (const { value, pointer } of aiPolicyLocations(view)) {
    if (value.promptGuard === undefined) continue
    if (!some(value.promptGuard)) {
      view.warning(child(pointer, 'promptGuard'), 'prompt_guard_empty', EMPTY)
      continue
    }
    for (const [suffix, type] of Object.entries(value.routes ?? {}))
      if (type === 'detect' || type === 'passthrough')
        view.warning(child(child(pointer, 'routes'), suffix), 'guarded_passthrough', REFUSED)
  }
}

const some = (guards: File.LlmGuards | undefined): boolean =>
  (guards?.request ?? []).length + (guards?.response ?? []).length > 0

const EMPTY = 'has no guards, and takes the place of those that policies further out have'
const REFUSED = 'guards cannot look at what passes as it is: such requests are refused'
