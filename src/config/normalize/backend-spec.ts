import type { BackendPolicies } from '../../model/resources/policies.ts'
import type { DynamicBackend } from '../../model/resources/dynamic-backend.ts'
import type { BackendSpec, BackendTarget, InternalBackend } from '../../model/resources/resources.ts'
import { agentCoreBackend, agentCorePolicies } from '../../operators/backend/normalize/agent-core.ts'
import { aiBackend } from '../../operators/llm/normalize/ai-backend.ts'
import { normalizeMcpBackend } from '../../operators/mcp/normalize/mcp-backend.ts'
import type * as File from '../schema/file-types.gen.ts'
import { type Context, originOf } from './context.ts'
import { definedFields } from './optional-fields.ts'
import { namedBackendKey, serviceKey, staticTarget, tlsOfHost } from './references.ts'

/** Defaults of the policies of a backend. */
export function defaultPolicies({ host, aws }: { host?: string; aws?: File.AwsBackend }): BackendPolicies {
  return aws === undefined ? tlsOfHost(host) : agentCorePolicies
}

/** The fields of a backend, inside a route or in the section `backends`. */
export function backendSpec(
  source: Partial<Pick<File.NamedBackend, 'host' | 'dynamic' | 'internal' | 'mcp' | 'ai' | 'aws'>>,
  context: Context,
): BackendSpec | undefined {
  if (source.host !== undefined) return { type: 'static', target: staticTarget(source.host) }
  if (source.aws !== undefined) return { type: 'agentCore', ...agentCoreBackend(source.aws.agentCore) }
  if (source.mcp !== undefined) return { type: 'mcp', ...normalizeMcpBackend(source.mcp, context) }
  if (source.ai !== undefined) return { type: 'llm', ...aiBackend(source.ai, context) }
  if (source.internal !== undefined) return internalBackend(source.internal)
  return source.dynamic === undefined ? undefined : dynamicBackend(source.dynamic)
}

/**
 * A backend of a route. One that is written inside the route becomes a resource of its own, with this key.
 *
 * @param pointer Its location in the file.
 */
export function backendTarget(
  source: File.RouteBackend | File.TcpRouteBackend | File.UdpRouteBackend,
  inlineName: string,
  context: Context,
  pointer: string,
): BackendTarget {
  if (source.service !== undefined) {
    return { kind: 'service', name: serviceKey(source.service), port: source.service.port }
  }
  if (source.backend !== undefined) return { kind: 'backend', key: namedBackendKey(source.backend) }
  if ('routeGroup' in source) {
    return { kind: 'routeGroup', name: source.routeGroup }
  }
  const spec = backendSpec(source, context)
  if (spec === undefined) return { kind: 'invalid' }
  const key = `/${inlineName}`
  context.inlineBackends.push({
    key,
    name: inlineName,
    namespace: '',
    spec,
    policies: defaultPolicies(source),
    origin: originOf(context, pointer),
  })
  return { kind: 'backend', key }
}

/** A backend that the request selects. Without `allow` no host is allowed. */
function dynamicBackend({ target, allow }: File.DynamicBackend): DynamicBackend {
  return definedFields<DynamicBackend>({
    type: 'dynamic',
    target,
    allow: {
      hosts: (allow?.hosts ?? []).map((name) => name.toLowerCase()),
      ports: allow?.ports ?? [],
      privateRanges: allow?.privateRanges ?? [],
    },
  })
}

/** The admin interface: the target of the request, or a fixed one. */
function internalBackend(target: string): InternalBackend {
  if (target === 'forward') return { type: 'internal' }
  const [path = '', ...query] = target.split('?')
  return { type: 'internal', fixed: { path, query: query.length === 0 ? '' : `?${query.join('?')}` } }
}
