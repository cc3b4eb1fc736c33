import type { ConfigFile, Gateway, LlmPolicies } from '../../../config/schema/file-types.gen.ts'
import { CommandFailure } from '../../command-failure.ts'
import { denyEverything, variable } from '../config-text.ts'
import type { ImportReport } from '../import-report.ts'
import { readSourceValues } from '../source-value.ts'
import { type KubernetesObject, KubernetesObjects, referencesOf } from './kubernetes-objects.ts'
import { importMcpRoute } from './mcp-routes.ts'
import { addRouteModels, type RouteModels } from './route-models.ts'
import { tokenLimits } from './token-limits.ts'

/**
 * Converts the resources of Envoy AI Gateway: documents of YAML, or a `List`.
 *
 * @throws {CommandFailure} if they cannot be read, or have no route that can be carried over.
 */
export const importEnvoyAiGateway = (text: string, report: ImportReport): ConfigFile => {
  const objects = new KubernetesObjects(readSourceValues(text, report.file))
  const gateways = gatewaysOf(objects, report)
  const into: RouteModels = { models: [], virtualModels: [] }
  const llmGateways = new Set<string>()
  for (const route of objects.ofKind('AIGatewayRoute')) {
    addRouteModels(route, objects, into, report)
    for (const name of parentsOf(route, gateways)) llmGateways.add(name)
  }
  const routes = objects
    .ofKind('MCPRoute')
    .flatMap((route) => importMcpRoute(route, parentsOf(route, gateways), objects, report) ?? [])
  if (into.models.length + routes.length === 0)
    throw new CommandFailure(`${report.file} has no AIGatewayRoute or MCPRoute that can be carried over`)
  const policies = llmPolicies(objects, report)
  for (const route of routes)
    if (policies.authorization) route.policies = { ...route.policies, authorization: denyEverything() }
  reportRest(objects, report)
  return {
    gateways,
    ...(routes.length > 0 ? { routes } : {}),
    ...(into.models.length > 0
      ? {
          llm: {
            gateways: [...llmGateways],
            ...(Object.keys(policies).length > 0 ? { policies } : {}),
            models: into.models,
            ...(into.virtualModels.length > 0 ? { virtualModels: into.virtualModels } : {}),
          },
        }
      : {}),
  }
}

/** A gateway for each port of each Gateway. */
const gatewaysOf = (objects: KubernetesObjects, report: ImportReport): Record<string, Gateway> => {
  const gateways: Record<string, Gateway> = {}
  for (const { spec, name, at } of objects.ofKind('Gateway')) {
    for (const field of ['gatewayClassName', 'infrastructure']) spec?.field(field)?.ignore()
    const listeners = spec?.field('listeners')?.items ?? []
    for (const [index, listener] of listeners.entries()) {
      const port = listener.field('port')?.number ?? 80
      const protocol = listener.field('protocol')?.text ?? 'HTTP'
      const label = listener.field('name')?.text ?? String(index)
      listener.field('allowedRoutes')?.ignore()
      const key = listeners.length === 1 ? name : `${name}-${label}`
      const tls = listener.field('tls')
      tls?.ignore()
      if (protocol === 'HTTPS' || tls) {
        report.changed(
          listener.at,
          `Gateway ${name}: ${label}`,
          'the certificate is read from files',
          'write the secret to tls.crt and tls.key beside the configuration',
        )
        gateways[key] = {
          port,
          tls: {
            cert: `${variable('CONFIG_DIR', '.')}/tls.crt`,
            key: `${variable('CONFIG_DIR', '.')}/tls.key`,
          },
        }
      } else gateways[key] = { port }
      report.origin(gateways[key], at)
    }
  }
  if (Object.keys(gateways).length === 0) {
    report.changed({ line: 1, column: 1 }, 'Gateway', 'there is none in the file: the port is PORT, or 8080')
    return { default: { port: variable('PORT', '8080') as unknown as number } }
  }
  return gateways
}

const parentsOf = (
  { spec }: KubernetesObject,
  gateways: Readonly<Record<string, Gateway>>,
): readonly string[] => {
  const names = (spec?.field('parentRefs')?.items ?? []).flatMap((parent) => {
    const [name, section] = [parent.field('name')?.text ?? '', parent.field('sectionName')?.text]
    parent.ignore()
    return Object.keys(gateways).filter(
      (key) =>
        key === name ||
        key === `${name}-${section ?? ''}` ||
        (section === undefined && key.startsWith(`${name}-`)),
    )
  })
  return names.length > 0 ? [...new Set(names)] : Object.keys(gateways)
}

const llmPolicies = (objects: KubernetesObjects, report: ImportReport): LlmPolicies => {
  const limits = tokenLimits(objects, report)
  const closing = objects.ofKind('SecurityPolicy')
  for (const { at, name, spec } of closing) {
    report.closed(
      at,
      `SecurityPolicy ${name}`,
      'restricts access, and is not translated',
      'use apiKey, jwtAuth, extAuthz or authorization',
    )
    spec?.ignore()
  }
  const authorization = closing.length > 0 ? denyEverything() : undefined
  if (authorization) report.comment(authorization, 'Denies everything, in place of a SecurityPolicy.')
  return { ...(limits ? { localRateLimit: limits } : {}), ...(authorization ? { authorization } : {}) }
}

/** Kinds that are read, if at all, through the objects that name them. */
const READ: ReadonlySet<string> = new Set([
  'AIGatewayRoute',
  'AIServiceBackend',
  'BackendSecurityPolicy',
  'Backend',
  'BackendTLSPolicy',
  'Gateway',
  'MCPRoute',
  'BackendTrafficPolicy',
  'SecurityPolicy',
])

/** Nothing is dropped silently: objects and fields that were not used are reported. */
const reportRest = (objects: KubernetesObjects, report: ImportReport): void => {
  for (const { kind, name, at, spec, source } of objects.all) {
    if (READ.has(kind)) {
      referencesOf(spec)
      for (const { path, at: position } of spec?.unread ?? [])
        report.dropped(
          position,
          `${kind} ${name}: ${path.replace(/^.*?spec\./, '')}`,
          'unknown field, or one without a counterpart',
          HINTS[path.split('.').at(-1) ?? ''],
        )
      for (const { path, at: position } of source.unread
        .filter(({ name: field }) => !['spec', 'kind', 'apiVersion', 'metadata', 'status'].includes(field))
        .filter((one) => !one.path.includes('spec.')))
        report.dropped(position, `${kind} ${name}: ${path}`, 'unknown field')
    } else {
      const known = KINDS[kind]
      if (known?.isUnneeded) report.changed(at, `${kind} ${name}`, `not needed: ${known.reason}`)
      else
        report.dropped(
          at,
          `${kind} ${name}`,
          known?.reason ?? 'resources of this kind are not converted',
          known?.hint,
        )
    }
  }
}

const HINTS: Readonly<Record<string, string>> = {
  retry: 'a virtual model with failover calls the next model',
  healthCheck: 'health of a model has eviction',
  timeout: 'params.requestTimeout of a model',
}

interface KindReason {
  readonly reason: string
  readonly hint?: string
  readonly isUnneeded?: boolean
}

const KINDS: Readonly<Record<string, KindReason>> = {
  GatewayClass: { reason: 'the gateway is a process', isUnneeded: true },
  Secret: { reason: 'secrets are not copied: the file reads them from variables', isUnneeded: true },
  Deployment: { reason: 'it is no part of the gateway', isUnneeded: true },
  Service: { reason: 'it is no part of the gateway', isUnneeded: true },
  Namespace: { reason: 'it is no part of the gateway', isUnneeded: true },
  EnvoyProxy: { reason: 'settings of Envoy have no counterpart' },
  QuotaPolicy: {
    reason: 'a quota of a backend does not lead to another backend',
    hint: 'use llm.policies.localRateLimit with type tokens',
  },
  ClientTrafficPolicy: {
    reason: 'settings of client connections are not converted',
    hint: 'use frontendPolicies',
  },
  HTTPRoute: { reason: 'only AIGatewayRoute and MCPRoute are converted', hint: 'use routes' },
  InferencePool: { reason: 'endpoint pickers are not supported' },
}
