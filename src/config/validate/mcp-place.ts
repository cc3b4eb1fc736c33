import type * as File from '../file-types.gen.ts'
import { host as hostFormat } from '../format/address.ts'
import { mcpAddress } from '../format/mcp-address.ts'
import { child } from '../instance-path.ts'
import { backendName } from '../normalize/references.ts'
import type { KnownNames } from './known-names.ts'
import { examineReference } from './references.ts'
import type { View } from './view.ts'

/** The fields that say where a server is. */
type Place = Pick<NonNullable<File.McpTarget['mcp']>, 'host' | 'port' | 'path' | 'backend'>

/** Where an MCP server is: an address alone; a host with port and path; or a backend with path. */
export function examineMcpPlace(view: View, names: KnownNames, place: Place, pointer: string): void {
  const { host, port, path, backend } = place
  if (backend !== undefined) examineBackend(view, names, place, backend, pointer)
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
  view: View,
  names: KnownNames,
  { port, path }: Place,
  backend: string,
  pointer: string,
): void {
  examineReference(view, names, { backend }, pointer)
  const named = view.file.backends?.find(({ name }) => name === backendName(backend))
  if (named !== undefined && named.host === undefined)
    view.wrongValue(child(pointer, 'backend'), 'must be a backend with a host', { value: backend })
  if (port !== undefined) view.problem(child(pointer, 'port'), 'port cannot be used with backend')
  if (path === undefined) view.problem(pointer, 'path is required when backend is set')
}
