import type * as File from '../../../config/schema/file-types.gen.ts'
import type { BackendFormContext, SelectedService } from '../../../controller/schema/backend-form.ts'
import {
  announcedName,
  announcedPath,
  announcedTransport,
  type McpTransport,
  NAME_ANNOTATION,
} from './announced-server.ts'
import type { McpTargetForm } from './mcp-backend-field.ts'

/**
 * The servers of the Services that each selector finds, by the name of the selector. A server that has been found is
 * that of the first selector. Those whose name is taken, or that proxies would refuse, are reported and left out: Services
 * of several namespaces must not be able to stop each other.
 */
export const selectedTargets = (
  targets: readonly McpTargetForm[],
  context: BackendFormContext,
): ReadonlyMap<string, readonly File.McpTarget[]> => {
  const servers = targets.flatMap(({ name, selector }) =>
    selector ? context.services(selector).flatMap((service) => serversOf(service, name)) : [],
  )
  const accepted = acceptedServers(servers, new Set(targets.flatMap(staticName)), context)
  const selected = new Map<string, File.McpTarget[]>()
  const listed = new Set<string>()
  for (const server of servers) {
    const target = accepted.get(server.id)
    if (!target) continue
    context.group(server.selector, target.name)
    if (listed.has(server.id)) continue
    listed.add(server.id)
    const known = selected.get(server.selector)
    if (known) known.push(target)
    else selected.set(server.selector, [target])
  }
  return selected
}

/** A port of a Service that says that it speaks MCP. */
interface SelectedServer {
  readonly id: string
  readonly selector: string
  readonly service: SelectedService
  readonly port: number
  readonly name: string
  readonly transport: McpTransport
}

const staticName = (target: McpTargetForm): readonly string[] => (target.static ? [target.name] : [])

const serversOf = (service: SelectedService, selector: string): readonly SelectedServer[] =>
  service.ports.flatMap(({ name: portName, port, appProtocol = '' }) => {
    const transport = announcedTransport(appProtocol)
    return transport === undefined
      ? []
      : [
          {
            id: `${service.namespace}/${service.name}:${port}`,
            selector,
            service,
            port,
            name: announcedName(service.annotations) ?? `${service.name}-${portName ?? port}`,
            transport,
          },
        ]
  })

/** Of several with one name the oldest has it, so that nobody can take a name over. */
const acceptedServers = (
  servers: readonly SelectedServer[],
  taken: Set<string>,
  context: BackendFormContext,
): ReadonlyMap<string, File.McpTarget> => {
  const accepted = new Map<string, File.McpTarget>()
  const ordered = [...new Map(servers.map((server) => [server.id, server])).values()].sort(byAge)
  for (const server of ordered) {
    const report = (problem: string) => {
      context.report(`Service ${server.id}: ${problem}`)
    }
    if (taken.has(server.name)) {
      report(
        `another server has the name "${server.name}"; the annotation ${NAME_ANNOTATION} can give it one of its own`,
      )
      continue
    }
    const refusal = context.refusal({ mcp: { targets: [targetOf(server, ANY_SERVICE)] } })
    if (refusal !== undefined) report(refusal)
    const found = refusal === undefined ? serviceOf(server, context) : undefined
    if (!found) continue
    if (accepted.size === MAX_SELECTED_SERVERS) {
      context.report(
        `more than ${MAX_SELECTED_SERVERS} servers are selected: the ${MAX_SELECTED_SERVERS} oldest are used`,
      )
      break
    }
    const target = targetOf(server, found)
    taken.add(target.name)
    accepted.set(server.id, target)
  }
  return accepted
}

/**
 * Of one ProxyBackend. Each session asks all of its servers, so that far fewer are of use; and backends that all select
 * the same Services multiply. The oldest are kept, so that nobody can take the place of a server that is used.
 */
export const MAX_SELECTED_SERVERS = 1_000

const byAge = (a: SelectedServer, b: SelectedServer): number => {
  const [first, second] = [a, b].map(({ service: { createdAt }, id }) => `${createdAt} ${id}`)
  return (first ?? '') < (second ?? '') ? -1 : 1
}

const serviceOf = (
  { service: { namespace, name }, port }: SelectedServer,
  context: BackendFormContext,
): File.ServiceReference | undefined => {
  const found = context.backend({ group: '', kind: 'Service', name, namespace, port })
  return found && 'service' in found ? found.service : undefined
}

const targetOf = (
  { name, service: { annotations }, transport }: SelectedServer,
  service: File.ServiceReference,
): File.McpTarget => {
  const path = announcedPath(annotations)
  return { name, [transport]: { service, ...(path === undefined ? {} : { path }) } }
}

/** What proxies check does not depend on the Service. */
const ANY_SERVICE: File.ServiceReference = { name: 'namespace/service', port: 80 }
