import type { SimpleBackend } from '../../model/policies.ts'
import type { BackendSpec, BackendTarget, DynamicBackend, StaticTarget } from '../../model/resources.ts'
import type * as File from '../file-types.gen.ts'
import { parseHostPort } from '../format/address.ts'
import { aiBackend } from './ai-backend.ts'
import type { Context } from './context.ts'
import { defined } from './defined.ts'
import { mcpBackend } from './mcp.ts'

/** The key of a backend in the section `backends`, which references may use in place of its name. */
export function namedBackendKey(reference: string): string {
  return `/${backendName(reference)}`
}

/** The name in a reference to a backend: `name`, or `/name`, which is its key. */
export function backendName(reference: string): string {
  return reference.startsWith('/') ? reference.slice(1) : reference
}

/** `host:port` or `unix:/path`, after the checks. */
export function staticTarget(text: string): StaticTarget {
  if (text.startsWith('unix:')) return { unix: text.slice('unix:'.length) }
  const parsed = parseHostPort(text)
  if (parsed === undefined)
    throw new TypeError(`"${text}" is not host:port; the checks should have refused it`)
  return { host: parsed.host, port: parsed.port }
}

/** A backend that the request chooses. Without `allow`, it may choose nothing. */
function dynamicBackend({ target, allow }: File.DynamicBackend): DynamicBackend {
  return defined<DynamicBackend>({
    type: 'dynamic',
    target,
    allow: {
      hosts: (allow?.hosts ?? []).map((name) => name.toLowerCase()),
      ports: allow?.ports ?? [],
      privateRanges: allow?.privateRanges ?? [],
    },
  })
}

/** `namespace/hostname`, whichever way it was written. */
export function serviceKey({ name }: File.ServiceReference): string {
  return typeof name === 'string' ? name : `${name.namespace}/${name.hostname}`
}

/** What a backend is written as, whether inside a route or in the section `backends`. */
export function backendSpec(
  source: { host?: string; dynamic?: File.DynamicBackend; mcp?: File.McpBackend; ai?: File.AiBackend },
  context: Context,
): BackendSpec | undefined {
  if (source.host !== undefined) return { type: 'static', target: staticTarget(source.host) }
  if (source.mcp !== undefined) return { type: 'mcp', ...mcpBackend(source.mcp, context) }
  if (source.ai !== undefined) return { type: 'llm', ...aiBackend(source.ai, context) }
  return source.dynamic === undefined ? undefined : dynamicBackend(source.dynamic)
}

/** A destination where no policies can be given. */
export function simpleBackend(source: File.BackendReference): SimpleBackend {
  if (source.service !== undefined) {
    return { kind: 'service', name: serviceKey(source.service), port: source.service.port }
  }
  if (source.backend !== undefined) return { kind: 'backend', key: namedBackendKey(source.backend) }
  return { kind: 'host', target: staticTarget(source.host ?? '') }
}

/** What a route refers to. A backend written inside the route becomes a resource of its own, under this key. */
export function backendTarget(
  source: File.RouteBackend | File.TcpRouteBackend,
  inlineName: string,
  context: Context,
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
  context.inlineBackends.push({ key, name: inlineName, namespace: '', spec, policies: {} })
  return { kind: 'backend', key }
}
