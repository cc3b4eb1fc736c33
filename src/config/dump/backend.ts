import type {
  Backend,
  PolicyTarget,
  Service,
  TargetedPolicy,
  Workload,
} from '../../model/resources/resources.ts'
import { dumpLlm } from './llm.ts'
import { dumpMcp, type McpStatusOf } from './mcp.ts'
import { type Hiding, type Printed, printedFields, printedPolicies } from './value.ts'

/** A backend as dumps print it. */
export function dumpBackend(backend: Backend, hiding: Hiding, mcpStatus: McpStatusOf): Printed {
  return { backend: kindOf(backend, hiding, mcpStatus), ...printedPolicies(backend.policies, hiding) }
}

/** A targeted policy as dumps print it. */
export function dumpPolicy(policy: TargetedPolicy, hiding: Hiding): Printed {
  const { name, namespace, target, phase } = policy
  const key = `${namespace}/${name}`
  return {
    key,
    name: { name, namespace },
    target: targetOf(target),
    phase,
    policy: printedFields(policy.policy, hiding),
  }
}

/** A service as dumps print it, with the names of the file. */
export function dumpService({ name, namespace, hostname, vips, ports }: Service): Printed {
  return { name, namespace, hostname, vips, ports }
}

/** A workload as dumps print it, with the names of the file. */
export function dumpWorkload({ uid, name, namespace, addresses, services, status }: Workload): Printed {
  const capital = status === 'healthy' ? 'Healthy' : 'Unhealthy'
  return { uid, name, namespace, workloadIps: addresses, services, status: capital }
}

function kindOf({ key, name, namespace, spec }: Backend, hiding: Hiding, mcpStatus: McpStatusOf): Printed {
  if (spec.type === 'static') {
    const { target } = spec
    const text = 'unix' in target ? `unix:${target.unix}` : `${bracketed(target.host)}:${String(target.port)}`
    return { host: { name, namespace, target: text } }
  }
  if (spec.type === 'agentCore') {
    const { agentRuntimeArn, qualifier } = spec
    return { aws: { name, namespace, agentCore: printedFields({ agentRuntimeArn, qualifier }, hiding) } }
  }
  if (spec.type === 'internal') {
    const target = spec.fixed === undefined ? 'forward' : spec.fixed.path + spec.fixed.query
    return { internal: { name, namespace, target } }
  }
  if (spec.type === 'mcp')
    return {
      mcp: { name, namespace, ...dumpMcp(spec, hiding, (target) => mcpStatus(key, target)) },
    }
  if (spec.type === 'llm') return dumpLlm(name, namespace, spec, hiding)
  const { type: _, ...dynamic } = spec
  return { dynamic: { name, namespace, ...printedFields(dynamic, hiding) } }
}

function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host
}

function targetOf(target: PolicyTarget): Printed {
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
