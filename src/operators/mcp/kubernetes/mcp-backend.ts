import type * as File from '../../../config/schema/file-types.gen.ts'
import type { BackendFormContext } from '../../../controller/schema/backend-form.ts'
import type { McpBackendForm } from './mcp-backend-field.ts'
import { selectedTargets } from './selected-targets.ts'
import { staticMcpTarget, type TargetPolicies } from './static-mcp-target.ts'

/** `mcp` of a ProxyBackend in the notation of a file. Selectors that find nothing are no mistake: servers may come later. */
export const mcpBackendOf = (
  { targets, sessionRouting, failureMode, prefixMode }: McpBackendForm,
  context: BackendFormContext,
  policiesOf: TargetPolicies,
): File.McpBackend => {
  const selected = selectedTargets(targets, context)
  return {
    targets: targets.flatMap((target, i) =>
      target.static
        ? [staticMcpTarget(target.name, target.static, `targets[${i}].static`, context, policiesOf)]
        : (selected.get(target.name) ?? []),
    ),
    ...(sessionRouting === undefined ? {} : { statefulMode: statefulModes[sessionRouting] }),
    ...(failureMode === undefined ? {} : { failureMode: failureModes[failureMode] }),
    ...(prefixMode === undefined ? {} : { prefixMode: prefixModes[prefixMode] }),
  }
}

const statefulModes = { Stateful: 'stateful', Stateless: 'stateless' } as const
const failureModes = { FailClosed: 'failClosed', FailOpen: 'failOpen' } as const
const prefixModes = { Always: 'always', Conditional: 'conditional', Never: 'never' } as const
