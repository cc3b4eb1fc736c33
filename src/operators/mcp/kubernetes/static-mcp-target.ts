import type * as File from '../../../config/schema/file-types.gen.ts'
import { defaults } from '../../../config/defaults.ts'
import type { BackendFormContext } from '../../../controller/schema/backend-form.ts'
import { refuseConnections } from '../../../controller/schema/policy-form.ts'
import { announcedPath, announcedTransport, type McpTransport } from './announced-server.ts'
import type { McpTargetForm } from './mcp-backend-field.ts'

type StaticForm = NonNullable<McpTargetForm['static']>

/** Translates the policies of a server. `path` is that of the field that has them. */
export type TargetPolicies = (
  policies: Readonly<Record<string, unknown>>,
  path: string,
) => File.BackendPolicies

/**
 * A server with a host or a Service. One that leads nowhere stays, and fails: without it, the tools of the others might
 * have other names.
 */
export const staticMcpTarget = (
  name: string,
  form: StaticForm,
  path: string,
  context: BackendFormContext,
  policiesOf: TargetPolicies,
): File.McpTarget => {
  const announced = announcedServer(form, context)
  const transport = form.protocol === undefined ? (announced?.transport ?? 'mcp') : transports[form.protocol]
  // The path of another transport leads nowhere.
  const ownPath = announced?.transport === transport ? announced.path : undefined
  const server = addressOf(form, transport, ownPath, path, context)
  // What refuses all requests of a backend is none for a server; what refuses connections is there as well.
  const { authorization: _, ...policies } = form.policies ? policiesOf(form.policies, `${path}.policies`) : {}
  const target = server && {
    name,
    [transport]: server,
    ...(Object.keys(policies).length === 0 ? {} : { policies }),
  }
  const refusal = target && context.refusal({ mcp: { targets: [target] } })
  if (refusal !== undefined) context.report(`${path}: ${refusal}`)
  return target && refusal === undefined ? target : failing(name, `${path} cannot be used`)
}

/** What the port of the Service says of itself, as it does to selectors. */
const announcedServer = (
  { backendRef, port }: StaticForm,
  context: BackendFormContext,
): { readonly transport: McpTransport; readonly path: string | undefined } | undefined => {
  const service = backendRef && context.services({}).find(({ name }) => name === backendRef.name)
  const transport = announcedTransport(service?.ports.find((one) => one.port === port)?.appProtocol ?? '')
  return service && transport && { transport, path: announcedPath(service.annotations) }
}

const transports = { StreamableHTTP: 'mcp', SSE: 'sse' } as const

/** @param ownPath The path that the Service has. */
const addressOf = (
  { host, backendRef, port, path }: StaticForm,
  transport: McpTransport,
  ownPath: string | undefined,
  field: string,
  context: BackendFormContext,
): File.McpTarget['mcp'] | undefined => {
  const given = path === undefined ? undefined : withSlash(path)
  if (host !== undefined) {
    const { ssePath, path: usualPath } = defaults.mcp
    const bare = host.replace(/^\[(.+)\]$/, '$1')
    return { host: bare, port, path: given ?? (transport === 'sse' ? ssePath : usualPath) }
  }
  if (!backendRef) {
    context.report(`${field}: backendRef or host must be set`)
    return undefined
  }
  const servicePath = given ?? ownPath
  const service = context.backend({ group: '', kind: 'Service', ...backendRef, port })
  return service && 'service' in service
    ? { ...service, ...(servicePath === undefined ? {} : { path: servicePath }) }
    : undefined
}

/** A path in the form of a request target. */
const withSlash = (path: string): string => (path.startsWith('/') ? path : `/${path}`)

/** A server that cannot be connected to. */
const failing = (name: string, message: string): File.McpTarget => ({
  name,
  mcp: { host: 'localhost' },
  policies: refuseConnections(message) as File.McpTargetPolicies,
})
