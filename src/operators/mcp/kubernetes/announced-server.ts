/**
 * What a Service says of the MCP server behind it.
 *
 * @module
 */
import type { SelectedService } from '../../../controller/schema/backend-form.ts'

/** Transports of servers, as the fields of a target name them. */
export type McpTransport = 'mcp' | 'sse'

/** The annotation with the name of a server. */
export const NAME_ANNOTATION = 'agentgateway.dev/mcp-target-name'

/** The transport that the application protocol of a port stands for; undefined if it is no server's. */
export const announcedTransport = (appProtocol: string): McpTransport | undefined =>
  transports.get(appProtocol)

/** The name that the annotations give to a server. */
export const announcedName = (annotations: SelectedService['annotations']): string | undefined =>
  annotation(annotations, NAME_ANNOTATION)

/** The path that the annotations give to a server. */
export const announcedPath = (annotations: SelectedService['annotations']): string | undefined =>
  annotation(annotations, 'agentgateway.dev/mcp-path') ?? annotation(annotations, 'kgateway.dev/mcp-path')

/** Empty ones say nothing. Names of annotations may be those of inherited properties. */
const annotation = (annotations: SelectedService['annotations'], name: string): string | undefined =>
  Object.hasOwn(annotations, name) && annotations[name] !== '' ? annotations[name] : undefined

const transports: ReadonlyMap<string, McpTransport> = new Map([
  ['agentgateway.dev/mcp', 'mcp'],
  ['kgateway.dev/mcp', 'mcp'],
  ['agentgateway.dev/mcp-sse', 'sse'],
  ['kgateway.dev/mcp-sse', 'sse'],
])
