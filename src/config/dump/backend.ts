import type { PolicyTarget } from '../../model/resources/policy-target.ts'
import type { Backend, TargetedPolicy } from '../../model/resources/resources.ts'
import type { Service, Workload } from '../../model/resources/service.ts'
import { dumpLlm } from './llm.ts'
import { dumpAddresses, type DumpedStatus } from './endpoints.ts'
import { dumpMcp } from './mcp.ts'
import { type Hiding, type Printed, printedFields, printedOrigin, printedPolicies } from './value.ts'
import { formatDuration } from '../format/duration.ts'
import { hostPortOrUnixText } from '../../protocols/ip/host-port.ts'

/** A backend as dumps print it. */
export function dumpBackend(backend: Backend, hiding: Hiding, status: DumpedStatus): Printed {
  return {
    backend: kindOf(backend, hiding, status),
    ...printedPolicies(backend.policies, hiding),
    ...printedOrigin(backend),
  }
}

/** A targeted policy as dumps print it. */
export function dumpPolicy(policy: TargetedPolicy, hiding: Hiding): Printed {
  const { name, namespace, target, phase, inheritance, precedence } = policy
  const key = `${namespace}/${name}`
  return {
    key,
    name: { name, namespace },
    target: targetOf(target),
    phase,
    ...(inheritance === undefined ? {} : { inheritance }),
    ...(precedence === undefined ? {} : { precedence }),
    policy: printedFields(policy.frontend ? { frontend: policy.frontend } : policy.policy, hiding),
    ...printedOrigin(policy),
  }
}

/**
 * Prints services with the names of the file, and their endpoints.
 *
 * @param workloads Name the endpoints.
 */
export function serviceDump(
  status: DumpedStatus,
  workloads: readonly Workload[],
): (service: Service) => Printed {
  const byAddress = new Map<string, Workload>()
  for (const workload of workloads) for (const address of workload.addresses) byAddress.set(address, workload)
  return ({ policies: _, portPolicies: __, origin, ...service }) => {
    const { name, namespace, hostname, vips, ports, sessionAffinity, ...rest } = service
    // Routes may name it either way.
    const names = [...new Set([`${namespace}/${hostname}`, `${namespace}/${name}`])]
    const statuses = names.flatMap((one) => status.endpoints.get(one) ?? [])
    return {
      name,
      namespace,
      hostname,
      vips,
      ports,
      ...(sessionAffinity && { sessionAffinity: { clientIP: printedTimes(sessionAffinity.clientIP) } }),
      ...rest,
      ...dumpAddresses(statuses, byAddress),
      ...printedOrigin({ origin }),
    }
  }
}

/** A workload as dumps print it, with the names of the file. */
export function dumpWorkload({ addresses, services, status, origin, ...rest }: Workload): Printed {
  const { uid, name, namespace, ...location } = rest
  const capital = status === 'healthy' ? 'Healthy' : 'Unhealthy'
  return {
    uid,
    name,
    namespace,
    workloadIps: addresses,
    services,
    status: capital,
    ...location,
    ...printedOrigin({ origin }),
  }
}

const printedTimes = ({ timeoutMs }: { readonly timeoutMs: number }): Printed => ({
  timeout: formatDuration(timeoutMs),
})

function kindOf({ key, name, namespace, spec }: Backend, hiding: Hiding, status: DumpedStatus): Printed {
  const statuses = status.endpoints.get(key)
  if (spec.type === 'static') {
    const target = hostPortOrUnixText(spec.target)
    return { host: { name, namespace, target, ...dumpAddresses(statuses) } }
  }
  if (spec.type === 'agentCore') {
    const { agentRuntimeArn, qualifier } = spec
    const agentCore = printedFields({ agentRuntimeArn, qualifier }, hiding)
    return { aws: { name, namespace, agentCore, ...dumpAddresses(statuses) } }
  }
  if (spec.type === 'internal') {
    const target = spec.fixed === undefined ? 'forward' : spec.fixed.path + spec.fixed.query
    return { internal: { name, namespace, target } }
  }
  if (spec.type === 'mcp') return { mcp: { name, namespace, ...dumpMcp(spec, hiding, status.mcp.get(key)) } }
  if (spec.type === 'llm') return dumpLlm(name, namespace, spec, hiding, statuses)
  const { type: _, ...dynamic } = spec
  return { dynamic: { name, namespace, ...printedFields(dynamic, hiding) } }
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
  if (kind !== 'route' || !('routeKind' in rest)) return { [kind]: rest }
  const { routeKind, ...named } = rest
  return { route: { ...named, kind: routeKind } }
}
