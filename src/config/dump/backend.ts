import type { Backend, PolicyTarget, Service, TargetedPolicy, Workload } from '../../model/resources.ts'
import { dumpLlm } from './llm.ts'
import { dumpMcp, type McpStatusOf } from './mcp.ts'
import { shownFields, shownPolicies } from './value.ts'
import type { Hiding, Shown } from './value.ts'

/** A backend as dumps show it. */
export function dumpBackend(backend: Backend, hiding: Hiding, mcpStatus: McpStatusOf): Shown {
  return { backend: kindOf(backend, hiding, mcpStatus), ...shownPolicies(backend.policies, hiding) }
}

/** A policy by target as dumps show it. */
export function dumpPolicy(policy: TargetedPolicy, hiding: Hiding): Shown {
  const { name, namespace, target, phase } = policy
  const key = `${namespace}/${name}`
  return {
    key,
    name: { name, namespace },
    target: targetOf(target),
    phase,
    policy: shownFields(policy.policy, hiding),
  }
}

/** A service as dumps show it, named as in the file. */
export function dumpService({ name, namespace, hostname, vips, ports }: Service): Shown {
  return { name, namespace, hostname, vips, ports }
}

/** A workload as dumps show it, named as in the file. */
export function dumpWorkload({ uid, name, namespace, addresses, services, status }: Workload): Shown {
  const capital = status === 'healthy' ? 'Healthy' : 'Unhealthy'
  return { uid, name, namespace, workloadIps: addresses, services, status: capital }
}

function kindOf({ key, name, namespace, spec }: Backend, hiding: Hiding, mcpStatus: McpStatusOf): Shown {
  if (spec.type === 'static') {
    const { target } = spec
    const text = 'unix' in target ? `unix:${target.unix}` : `${bracketed(target.host)}:${String(target.port)}`
    return { host: { name, namespace, target: text } }
  }
  if (spec.type === 'mcp')
    return {
      mcp: { name, namespace, ...dumpMcp(spec, hiding, (target) => mcpStatus(key, target)) },
    }
  if (spec.type === 'llm') return dumpLlm(name, namespace, spec, hiding)
  const { type: _, ...dynamic } = spec
  return { dynamic: { name, namespace, ...shownFields(dynamic, hiding) } }
}

function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host
}

function targetOf(target: PolicyTarget): Shown {
  if (target.kind === 'gateway') {
    const { name, namespace, listener, port } = target
    return {
      gateway: {
        gatewayName: name,
        gatewayNamespace: namespace,
        ...(listener === undefined ? {} : { listenerName: listener }),
        ...(port === undefined ? {} : { port }),
      },
    }
  }
  const { kind, ...rest } = target
  return { [kind]: rest }
}
