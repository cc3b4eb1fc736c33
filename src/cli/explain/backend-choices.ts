import type { LlmBackend, VirtualModel } from '../../model/llm/llm-backend.ts'
import type { McpBackend } from '../../model/mcp/mcp-backend.ts'
import type { Backend, Resources, Route, WeightedBackend } from '../../model/resources/resources.ts'
import { hostPortOrUnixText } from '../../protocols/ip/host-port.ts'
import { addressName } from '../../upstream/connect/dial.ts'
import { resourceIndex } from '../../model/resources/resource-index.ts'
import { serviceEndpoints } from '../../upstream/load-balancing/service-endpoints.ts'
import type { ExplainedBackend } from './explanation.ts'
import { writtenAt } from './written.ts'

/** The backends of a route, with how likely each is chosen and what it leads to. */
export const backendChoices = (route: Route, resources: Resources): readonly ExplainedBackend[] => {
  const usable = route.backends.filter(({ weight }) => weight > 0)
  const first = Math.min(...usable.map(({ priority = 0 }) => priority))
  const preferred = usable.filter(({ priority = 0 }) => priority === first)
  const total = preferred.reduce((sum, { weight }) => sum + weight, 0)
  return route.backends.map((backend) => ({
    name: backendLabel(backend),
    weight: backend.weight,
    priority: backend.priority ?? 0,
    share: preferred.includes(backend) ? backend.weight / total : 0,
    ...destination(backend, route, resources),
  }))
}

/** The name of a backend in logs. */
export const backendLabel = ({ target }: WeightedBackend): string => {
  if (target.kind === 'backend') return target.key
  if (target.kind === 'invalid') return 'invalid'
  return target.name
}

type Details = Pick<ExplainedBackend, 'type' | 'targets' | 'choice' | 'written'>

const destination = ({ target }: WeightedBackend, route: Route, resources: Resources): Details => {
  const written = route.origin && writtenAt(route.origin)
  if (target.kind === 'routeGroup') return { type: 'routeGroup', targets: [], choice: undefined, written }
  if (target.kind === 'service') return { ...service(target, resources), written }
  const backend = target.kind === 'backend' ? resourceIndex(resources).backend(target.key) : undefined
  if (!backend)
    return { type: 'missing', targets: [], choice: 'every request is replied to with 500', written }
  return { ...specified(backend), written: backend.origin ? writtenAt(backend.origin) : written }
}

const service = (
  { name, port }: { readonly name: string; readonly port: number },
  resources: Resources,
): Omit<Details, 'written'> => {
  const index = resourceIndex(resources)
  const found = index.service(name)
  const targets = found ? serviceEndpoints(found, port, index).map(({ address }) => addressName(address)) : []
  return { type: 'service', targets, choice: balancing(found?.policies?.loadBalancing, targets.length) }
}

const specified = ({ spec, policies }: Backend): Omit<Details, 'written'> => {
  switch (spec.type) {
    case 'static': {
      const isName = !('unix' in spec.target) && /[a-z]/i.test(spec.target.host)
      const choice = isName
        ? `each address of the name is an endpoint; ${balancing(policies.loadBalancing, 2) ?? ''}`
        : undefined
      return { type: 'static', targets: [hostPortOrUnixText(spec.target)], choice }
    }
    case 'agentCore':
      return { type: 'agentCore', targets: [hostPortOrUnixText(spec.target)], choice: undefined }
    case 'dynamic':
      return {
        type: 'dynamic',
        targets: spec.allow.hosts,
        choice: spec.target === undefined ? 'the authority of the request' : `the value of ${spec.target}`,
      }
    case 'internal':
      return { type: 'internal', targets: ['the admin interface of the gateway'], choice: undefined }
    case 'mcp':
      return {
        type: 'mcp',
        targets: mcpServers(spec),
        choice: 'by the message: names of items carry their server',
      }
    case 'llm':
      return llm(spec)
  }
}

const mcpServers = ({ targets }: McpBackend): readonly string[] => targets.map(({ name }) => name)

const llm = ({ choice }: LlmBackend): Omit<Details, 'written'> =>
  choice.by === 'groups'
    ? {
        type: 'ai',
        targets: choice.groups.flatMap((group) => group.map(({ name }) => name)),
        choice: 'the first group with a healthy provider; within a group the better of two',
      }
    : {
        type: 'ai',
        targets: [
          ...choice.models.map(
            ({ name, provider }) => `${name} → ${provider.model ?? 'the same model'} at ${provider.name}`,
          ),
          ...choice.virtualModels.map(virtualModel),
        ],
        choice: 'by the model of the request',
      }

const virtualModel = ({ name, routing }: VirtualModel): string => {
  if ('weighted' in routing)
    return `${name} → ${routing.weighted.map(({ model, weight }) => `${model} (weight ${String(weight)})`).join(' or ')}`
  if ('failover' in routing)
    return `${name} → ${[...routing.failover]
      .sort((a, b) => a.priority - b.priority)
      .map(({ model }) => model)
      .join(', then ')}`
  const options = routing.conditional.map(({ model, when }) =>
    when === undefined ? model : `${model} if ${when}`,
  )
  return `${name} → ${options.join(', else ')}`
}

const balancing = (policy: unknown, count: number): string | undefined => {
  if (count < 2) return undefined
  return policy === undefined
    ? 'the better of two random endpoints'
    : `by loadBalancing ${JSON.stringify(policy)}`
}
