import type * as File from '../file-types.gen.ts'
import { child } from '../instance-path.ts'
import { milliseconds } from '../normalize/context.ts'
import { knownNames } from './known-names.ts'
import { examineMcpPlace } from './mcp-place.ts'
import { examineOpenApi } from './mcp-openapi.ts'
import { mcpSites } from './mcp-sites.ts'
import type { Examine, Item, View } from './view.ts'

/** MCP servers: that they can be told apart, and reached. */
export const examineMcp: Examine = (view) => {
  const names = knownNames(view.document.value)
  if (view.file.mcp?.port !== undefined && view.file.mcp.gateways !== undefined)
    view.problem('/mcp/gateways', 'mcp.gateways cannot be used with mcp.port')
  for (const { value, pointer } of mcpSites(view)) {
    const at = child(pointer, 'targets')
    if (value.targets.length === 0)
      view.warning(at, 'mcp_no_targets', 'without targets, every request is answered with 503')
    examineHangUp(view, value, pointer)
    const targets = view.items(value.targets, at)
    examineNames(view, targets)
    for (const target of targets) {
      for (const kind of ['mcp', 'sse', 'openapi'] as const) {
        const place = target.value[kind]
        if (place !== undefined) examineMcpPlace(view, names, place, child(target.pointer, kind))
      }
      examinePolicies(view, target)
      if (target.value.openapi !== undefined)
        examineOpenApi(view, target.value.openapi, child(target.pointer, 'openapi'))
    }
  }
}

/** Connections end after some time at all, and clients can only come back where they have sessions. */
function examineHangUp(view: View, { hangUpAfter, statefulMode }: File.McpBackend, pointer: string): void {
  if (hangUpAfter === undefined) return
  const at = child(pointer, 'hangUpAfter')
  const ms = milliseconds(hangUpAfter)
  if (ms < SHORTEST_MS || ms > LONGEST_MS)
    view.wrongValue(at, 'must be at least 1ms and at most 24h', { value: hangUpAfter })
  else if (statefulMode === 'stateless')
    view.warning(
      at,
      'mcp_never_hangs_up',
      'without sessions, nobody could come back for the rest of an answer',
    )
}

const SHORTEST_MS = 1
const LONGEST_MS = 24 * 60 * 60 * 1000

/** Tools are called by the names of their servers. */
function examineNames(view: View, targets: readonly Item<File.McpTarget>[]): void {
  const seen = new Map<string, string>()
  for (const { value, pointer } of targets) {
    const first = seen.get(value.name)
    if (first === undefined) seen.set(value.name, pointer)
    else {
      const where = view.document.display(first)
      view.wrongValue(child(pointer, 'name'), `is the name of another target already: ${where}`, {
        value: value.name,
      })
    }
  }
}

function examinePolicies(view: View, { value, pointer }: Item<File.McpTarget>): void {
  if (value.policies === undefined) return
  const at = child(pointer, 'policies')
  if (value.stdio !== undefined)
    view.problem(at, 'policies cannot be used with stdio: nothing is sent over HTTP')
  const { backend } = value.mcp ?? value.sse ?? value.openapi ?? {}
  if (backend !== undefined)
    view.problem(at, `policies cannot be used with backend: write them into those of the backend ${backend}`)
}
