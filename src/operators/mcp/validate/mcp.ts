import { child } from '../../../config/document/json-pointer.ts'
import { host as hostFormat } from '../../../config/format/address.ts'
import { mcpAddress } from '../../../config/format/mcp-address.ts'
import { milliseconds } from '../../../config/normalize/context.ts'
import { backendName } from '../../../config/normalize/references.ts'
import type * as File from '../../../config/schema/file-types.gen.ts'
import type { Check, Item, ValidationContext } from '../../../config/validate/context.ts'
import { declaredNames, type DeclaredNames } from '../../../config/validate/known-names.ts'
import { checkReference } from '../../../config/validate/references.ts'
import { httpRoutes } from '../../../config/validate/route-locations.ts'
import { checkOpenApi } from './openapi.ts'

/** MCP servers behind one address, and their location in the file. */
export interface McpLocation {
  readonly value: File.McpBackend
  readonly pointer: string
}

/** All such locations: of routes, of the section `backends`, and the section `mcp`. */
export function mcpLocations(view: ValidationContext): readonly McpLocation[] {
  const { mcp, backends } = view.file
  return [
    ...httpRoutes(view)
      .filter(({ isSection }) => isSection !== true)
      .flatMap((route) =>
        view.items(route.value.backends, child(route.pointer, 'backends')).flatMap(ofBackend),
      ),
    ...view.items(backends, '/backends').flatMap(ofBackend),
    ...(mcp === undefined ? [] : [{ value: mcp, pointer: '/mcp' }]),
  ]
}

/** The servers of all locations. */
export function mcpTargets(view: ValidationContext): readonly Item<File.McpTarget>[] {
  return mcpLocations(view).flatMap(({ value, pointer }) =>
    view.items(value.targets, child(pointer, 'targets')),
  )
}

function ofBackend({ value, pointer }: Item<File.RouteBackend | File.NamedBackend>): readonly McpLocation[] {
  return value.mcp === undefined ? [] : [{ value: value.mcp, pointer: child(pointer, 'mcp') }]
}

/** The fields with the address of a server. */
type TargetAddress = Pick<
  NonNullable<File.McpTarget['mcp']>,
  'host' | 'port' | 'path' | 'backend' | 'service'
>

/**
 * Checks the address of an MCP server: an address alone; a host with port and path; a backend with path; or a service,
 * whose path has a default.
 */
export function checkMcpLocation(
  view: ValidationContext,
  names: DeclaredNames,
  location: TargetAddress,
  pointer: string,
): void {
  const { host, port, path, backend, service } = location
  if (backend !== undefined) examineBackend(view, names, location, backend, pointer)
  if (service !== undefined) {
    checkReference(view, names, { service }, pointer)
    if (port !== undefined)
      view.problem(child(pointer, 'port'), 'port cannot be used with service: it has one')
  }
  if (host === undefined) return
  const at = child(pointer, 'host')
  const isWhole = port === undefined && path === undefined
  if (!isWhole && (port === undefined || path === undefined)) {
    view.problem(pointer, 'if port or path is set, both must be set; otherwise, use only host')
    return
  }
  const complaint = isWhole ? mcpAddress(host) : hostFormat(host)
  if (complaint === undefined) return
  const { expectation } = complaint
  const words = isWhole || !host.includes('://') ? expectation : `${expectation} where port and path are set`
  view.wrongValue(at, words, { value: host, hint: complaint.hint })
}

function examineBackend(
  view: ValidationContext,
  names: DeclaredNames,
  { port, path }: TargetAddress,
  backend: string,
  pointer: string,
): void {
  checkReference(view, names, { backend }, pointer)
  const named = view.file.backends?.find(({ name }) => name === backendName(backend))
  // Of a control plane's backends one is seen at a time: compiling finds this.
  if (!view.isPartial && named !== undefined && named.host === undefined)
    view.wrongValue(child(pointer, 'backend'), 'must be a backend with a host', { value: backend })
  if (port !== undefined) view.problem(child(pointer, 'port'), 'port cannot be used with backend')
  if (path === undefined) view.problem(pointer, 'path is required when backend is set')
}

/** Checks MCP servers: they are distinct and reachable. */
export const checkMcp: Check = (view) => {
  const names = declaredNames(view.document.value)
  if (view.file.mcp?.port !== undefined && view.file.mcp.gateways !== undefined)
    view.problem('/mcp/gateways', 'mcp.gateways cannot be used with mcp.port')
  for (const { value, pointer } of mcpLocations(view)) {
    const at = child(pointer, 'targets')
    if (value.targets.length === 0)
      view.warning(at, 'mcp_no_targets', 'without targets, every request is answered with 503')
    examineHangUp(view, value, pointer)
    const targets = view.items(value.targets, at)
    examineNames(view, targets)
    for (const target of targets) {
      for (const kind of ['mcp', 'sse', 'openapi'] as const) {
        const location = target.value[kind]
        if (location !== undefined) checkMcpLocation(view, names, location, child(target.pointer, kind))
      }
      examinePolicies(view, target)
      examineSessions(view, target)
      if (target.value.openapi !== undefined)
        checkOpenApi(view, target.value.openapi, child(target.pointer, 'openapi'))
    }
  }
}

/** Connections must last for some time, and clients can only resume where they have sessions. */
function examineHangUp(
  view: ValidationContext,
  { hangUpAfter, statefulMode }: File.McpBackend,
  pointer: string,
): void {
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

/** Tool names contain the names of their servers. */
function examineNames(view: ValidationContext, targets: readonly Item<File.McpTarget>[]): void {
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

/** Only processes are kept ready, and operations of an HTTP interface have no sessions. */
function examineSessions(view: ValidationContext, { value, pointer }: Item<File.McpTarget>): void {
  if (value.minIdle !== undefined && value.stdio === undefined)
    view.problem(
      child(pointer, 'minIdle'),
      'minIdle can be used with stdio only: other servers are not started here',
    )
  if (value.legacy !== undefined && value.openapi !== undefined)
    view.problem(child(pointer, 'legacy'), 'legacy cannot be used with openapi, which needs no sessions')
}

function examinePolicies(view: ValidationContext, { value, pointer }: Item<File.McpTarget>): void {
  if (value.policies === undefined) return
  const at = child(pointer, 'policies')
  if (value.stdio !== undefined)
    view.problem(at, 'policies cannot be used with stdio: nothing is sent over HTTP')
  const { backend } = value.mcp ?? value.sse ?? value.openapi ?? {}
  if (backend !== undefined)
    view.problem(at, `policies cannot be used with backend: write them into those of the backend ${backend}`)
}
