import type * as File from '../file-types.gen.ts'
import { child } from '../instance-path.ts'
import type { View } from './view.ts'

/** A processor that sees nothing guards nothing: whoever wrote it probably forgot to say what it is to see. */
export function examineProcessors(view: View, policy: File.McpGuardrails, pointer: string): void {
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
