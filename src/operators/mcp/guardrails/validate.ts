import type * as File from '../../../config/schema/file-types.gen.ts'
import { child } from '../../../config/document/json-pointer.ts'
import type { ValidationContext } from '../../../config/validate/context.ts'

/** Warns of a processor that inspects nothing: its `methods` were probably forgotten. */
export function checkProcessors(view: ValidationContext, policy: File.McpGuardrails, pointer: string): void {
  for (const { value, pointer: at } of view.items(policy.processors, child(pointer, 'processors'))) {
    const phases = Object.values(value.methods ?? {})
    if (phases.some((phase) => phase !== 'off')) continue
    view.warning(
      value.methods === undefined ? at : child(at, 'methods'),
      'guardrail_sees_nothing',
      'the service is never asked: say in methods which messages it sees',
    )
  }
}
