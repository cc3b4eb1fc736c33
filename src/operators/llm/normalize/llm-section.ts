import { defaults } from '../../../config/defaults.ts'
import { type Context, originOf } from '../../../config/normalize/context.ts'
import { namedBackendKey } from '../../../config/normalize/references.ts'
import { definedFields, given } from '../../../config/normalize/optional-fields.ts'
import type * as File from '../../../config/schema/file-types.gen.ts'
import type { LlmBackend, VirtualModel } from '../../../model/llm/llm-backend.ts'
import type { Backend, Bind, Listener, Route } from '../../../model/resources/resources.ts'
import { llmCredentials } from './credentials.ts'
import { llmModel } from './model.ts'
import { SECTION_NAMESPACE } from '../../mcp/normalize/mcp-section.ts'
import { httpRoute, type RouteParent } from '../../route/normalize/route.ts'
import { moreExact } from '../../../protocols/llm/models/model-patterns.ts'
import { defaultRoutes } from '../../../protocols/llm/route-type.ts'
import { tlsServer } from '../../../streams/http/tls/normalize.ts'

const NAME = 'llm'
const ROUTE = 'llm:request'
const BACKEND = 'llm:router'

/** The port of the section `llm`, if it has its own instead of gateways. */
export function llmPort(section: File.LlmSection, hasDefaultGateway: boolean): number | undefined {
  if (section.port !== undefined) return section.port
  if (section.tls !== undefined) return defaults.llm.port
  return section.gateways === undefined && !hasDefaultGateway ? defaults.llm.port : undefined
}

/** The route of the section, without its backend. */
export function llmSectionRoute(section: File.LlmSection): File.Route {
  return {
    name: ROUTE,
    namespace: SECTION_NAMESPACE,
    matches: [{ path: { pathPrefix: '/' } }],
    ...(section.policies && { policies: section.policies }),
  }
}

/** The route of the section on one listener. */
export function llmRoute(
  section: File.LlmSection,
  parent: Omit<RouteParent, 'index' | 'pointer'>,
  context: Context,
): Route {
  return routeTo(BACKEND_KEY, section, parent, context)
}

function routeTo(
  key: string,
  section: File.LlmSection,
  parent: Omit<RouteParent, 'index' | 'pointer'>,
  context: Context,
): Route {
  const route = httpRoute(llmSectionRoute(section), { ...parent, index: 0, pointer: '/llm' }, context)
  const target = { kind: 'backend', key } as const
  const policies = llmCredentials(route.policies, section)
  return { ...route, policies, backends: [{ weight: defaults.weight, target, policies: {} }] }
}

/** One backend for all listeners, which share the health of its providers. */
const BACKEND_KEY = `${SECTION_NAMESPACE}/${BACKEND}`

/** The models of the section. */
export function llmSectionBackend({ llm }: File.ConfigFile, context: Context): readonly Backend[] {
  return llm === undefined ? [] : [sectionBackend(BACKEND, llm, context)]
}

/**
 * Models that a control plane has sent, beside those of the section: their backend, and their route on each listener.
 * Rules of other routes may refer to the backend by the name of the resource.
 *
 * @param resource Its name in xDS.
 */
export function sentModels(
  section: File.LlmSection,
  resource: string,
  context: Context,
): { readonly backend: Backend; readonly routeOn: (listener: string) => Route } {
  const backend = { ...sectionBackend(resource, section, context), key: namedBackendKey(resource) }
  return { backend, routeOn: (owner) => routeTo(backend.key, section, { owner, resource }, context) }
}

function sectionBackend(name: string, section: File.LlmSection, context: Context): Backend {
  return {
    key: `${SECTION_NAMESPACE}/${name}`,
    name,
    namespace: SECTION_NAMESPACE,
    spec: { type: 'llm', ...llmSection(section, context) },
    policies: {},
    origin: originOf(context, '/llm'),
  }
}

function llmSection(section: File.LlmSection, context: Context): LlmBackend {
  const ids = modelIds(section.models)
  const models = section.models.map((model, index) =>
    llmModel(model, ids[index] ?? model.name, section, context),
  )
  return {
    routes: defaultRoutes,
    choice: {
      by: 'model',
      // Sorting is stable: equally exact patterns keep the order of the file.
      models: models.sort((a, b) => moreExact(a.name, b.name)),
      virtualModels: (section.virtualModels ?? []).map(virtualModel),
    },
  }
}

/** The ids of models: those with the same name get their index appended. */
function modelIds(models: readonly File.LlmModel[]): readonly string[] {
  const taken = new Set(models.flatMap(({ id }) => id ?? []))
  return models.map(({ id, name }, index) => {
    if (id !== undefined) return id
    const own = taken.has(name) ? `${name}#${String(index)}` : name
    taken.add(own)
    return own
  })
}

function virtualModel({ name, routing }: File.LlmVirtualModel): VirtualModel {
  const { weighted, failover, conditional } = routing
  if (weighted !== undefined)
    return {
      name,
      routing: {
        weighted: weighted.targets.map((target) => ({ ...target, weight: target.weight ?? defaults.weight })),
      },
    }
  if (failover !== undefined) return { name, routing: { failover: failover.targets } }
  return { name, routing: { conditional: conditional?.targets ?? [] } }
}

/** The bind of the section, if it has its own port. */
export function llmBind({ llm, gateways }: File.ConfigFile, context: Context): readonly Bind[] {
  if (llm === undefined) return []
  const port = llmPort(llm, Object.hasOwn(gateways ?? {}, 'default'))
  if (port === undefined) return []
  const bind = port === 0 ? `bind/0/${NAME}` : `bind/${String(port)}`
  const key = `default/default/${bind}/${NAME}`
  const listener = definedFields<Listener>({
    key,
    gatewayName: 'default',
    gatewayNamespace: 'default',
    listenerName: NAME,
    hostname: '',
    protocol: llm.tls === undefined ? 'HTTP' : 'HTTPS',
    tls: given(llm.tls, (tls) => tlsServer(tls, context)),
    policies: {},
    routes: [llmRoute(llm, { owner: key }, context)],
    tcpRoutes: [],
    origin: originOf(context, '/llm'),
  })
  return [
    {
      key: bind,
      address: context.anyAddress,
      port,
      protocol: llm.tls === undefined ? 'http' : 'tls',
      tunnelProtocol: 'direct',
      mode: 'standard',
      listeners: [listener],
    },
  ]
}
