import type { BackendPolicies, SimpleBackend } from '../../model/resources/policies.ts'
import { publicTls } from '../../model/resources/public-tls.ts'
import type { StaticTarget } from '../../model/resources/resources.ts'
import type * as File from '../schema/file-types.gen.ts'
import { parseServiceHost, type ServiceHost } from '../format/service-host.ts'

/** The key of a backend of the section `backends`. References may use it instead of the name. */
export function namedBackendKey(reference: string): string {
  return `/${backendName(reference)}`
}

/** The name in a reference to a backend: `name`, or the key `/name`. */
export function backendName(reference: string): string {
  return reference.startsWith('/') ? reference.slice(1) : reference
}

/** The target of a validated host. */
export function staticTarget(text: string): StaticTarget {
  return serviceHostOf(text).target
}

/** The TLS settings that an address implies: `https://` is TLS, unless policies configure it. */
export function tlsOfHost(text: string | undefined): Pick<BackendPolicies, 'backendTLS'> {
  return text !== undefined && serviceHostOf(text).isEncrypted ? { backendTLS: publicTls } : {}
}

function serviceHostOf(text: string): ServiceHost {
  const parsed = parseServiceHost(text)
  if (parsed === undefined) throw new TypeError(`"${text}" is no host; the checks should have refused it`)
  return parsed
}

/** `namespace/hostname`, from either notation. */
export function serviceKey({ name }: File.ServiceReference): string {
  return typeof name === 'string' ? serviceName(name) : `${name.namespace ?? 'default'}/${name.hostname}`
}

/** `namespace/hostname`, with the default namespace if there is none. */
export function serviceName(text: string): string {
  return text.startsWith('/') ? `default${text}` : text
}

/** A destination without policies. */
export function simpleBackend(source: File.BackendReference): SimpleBackend {
  if (source.service !== undefined) {
    return { kind: 'service', name: serviceKey(source.service), port: source.service.port }
  }
  if (source.backend !== undefined) return { kind: 'backend', key: namedBackendKey(source.backend) }
  return { kind: 'host', target: staticTarget(source.host ?? '') }
}
