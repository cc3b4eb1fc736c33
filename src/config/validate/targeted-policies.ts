import type * as File from '../schema/file-types.gen.ts'
import { child } from '../document/json-pointer.ts'
import { nearest } from '../schema-check/did-you-mean.ts'
import { declaredNames, type DeclaredNames } from './known-names.ts'
import { missingReference } from './references.ts'
import { httpRoutes, tcpRoutes, udpRoutes } from './route-locations.ts'
import type { Check, ValidationContext } from './context.ts'

/** Checks policies by target: that the target exists. */
export const checkTargets: Check = (view) => {
  const names = declaredNames(view.document.value)
  for (const { value, pointer } of view.items(view.file.policies, '/policies'))
    examineTarget(view, names, value.target, child(pointer, 'target'))
}

function examineTarget(
  view: ValidationContext,
  names: DeclaredNames,
  target: File.PolicyTarget,
  pointer: string,
): void {
  const { gateway, route, backend, listenerSet } = target
  if (listenerSet !== undefined) examineListenerSet(view, names, listenerSet, child(pointer, 'listenerSet'))
  if (gateway !== undefined) examineGateway(view, names, gateway, child(pointer, 'gateway'))
  if (route !== undefined) examineRoute(view, route, child(pointer, 'route'))
  if (backend?.backend !== undefined && !names.backends.has(backend.backend.name)) {
    missingReference(
      view,
      child(child(child(pointer, 'backend'), 'backend'), 'name'),
      'backend',
      backend.backend.name,
      names.backends,
    )
  }
  if (backend?.backend?.section !== undefined)
    examineSection(view, backend.backend, child(child(pointer, 'backend'), 'backend'))
  if (backend?.service !== undefined) {
    const name = `${backend.service.namespace ?? 'default'}/${backend.service.hostname.toLowerCase()}`
    const at = child(child(child(pointer, 'backend'), 'service'), 'hostname')
    if (!names.services.has(name)) missingReference(view, at, 'service', name, names.services.keys())
    const { port } = backend.service
    const ports = names.services.get(name)
    if (port !== undefined && ports !== undefined && !ports.has(String(port)))
      view.wrongValue(
        child(child(child(pointer, 'backend'), 'service'), 'port'),
        `service ${name} has no port ${String(port)}`,
        { hint: `it has ${[...ports].join(', ')}` },
      )
  }
}

function examineSection(
  view: ValidationContext,
  { name, section }: NonNullable<File.BackendTarget['backend']>,
  pointer: string,
): void {
  const backend = view.file.backends?.find((one) => one.name === name)
  const { ai, mcp } = backend ?? {}
  const providers = ai && ('groups' in ai ? ai.groups.flatMap((group) => group.providers) : [ai])
  const known = [...(providers ?? []), ...(mcp?.targets ?? [])].map((one) => one.name)
  if (backend !== undefined && section !== undefined && !known.includes(section))
    missingReference(view, child(pointer, 'section'), `provider or MCP server of ${name}`, section, known)
}

function examineListenerSet(
  view: ValidationContext,
  { listenerSets }: DeclaredNames,
  { namespace = 'default', name, listenerName }: File.ListenerSetTarget,
  pointer: string,
): void {
  const key = `${namespace}/${name}`
  const known = listenerSets.get(key)
  if (known === undefined)
    missingReference(view, child(pointer, 'name'), 'listener set', key, listenerSets.keys())
  else if (listenerName !== undefined && !known.has(listenerName))
    missingReference(view, child(pointer, 'listenerName'), 'listener', listenerName, known)
}

function examineGateway(
  view: ValidationContext,
  names: DeclaredNames,
  target: File.GatewayTarget,
  pointer: string,
): void {
  const { gatewayName, gatewayNamespace = 'default', listenerName, port } = target
  const bound = names.boundGateways.get(`${gatewayNamespace}/${gatewayName}`)
  const named = gatewayNamespace === 'default' && names.gateways.has(gatewayName)
  if (bound === undefined && !named) {
    const known = [...names.gateways.keys()].filter((name) => !name.includes('/'))
    missingReference(view, child(pointer, 'gatewayName'), 'gateway', gatewayName, known)
    return
  }
  const ports = names.ports.get(`${gatewayNamespace}/${gatewayName}`)
  // A port of 0 is any free one.
  if (port !== undefined && ports?.size && !ports.has(port) && !ports.has(0))
    view.wrongValue(child(pointer, 'port'), `gateway ${gatewayName} has no port ${String(port)}`, {
      hint: `it has ${[...ports].join(', ')}`,
    })
  if (listenerName === undefined) return
  if (names.gateways.has(`${gatewayName}/${listenerName}`) || bound?.has(listenerName) === true) return
  missingReference(view, child(pointer, 'listenerName'), 'listener', listenerName, bound ?? [])
}

function examineRoute(view: ValidationContext, target: File.RouteTarget, pointer: string): void {
  const { name, namespace = 'default', ruleName, kind } = target
  const isKind = (of: File.Route['kind'] = 'HTTPRoute') => kind === undefined || kind === of
  const routes = [
    ...httpRoutes(view).filter(({ value }) => isKind(value.kind)),
    ...(kind === undefined || kind === 'TCPRoute' || kind === 'TLSRoute' ? tcpRoutes(view) : []),
    ...(kind === undefined || kind === 'UDPRoute' ? udpRoutes(view) : []),
  ]
  const fits = routes.filter((route) => route.namespace === namespace && route.name === name)
  if (fits.length === 0) {
    const meant = nearest(
      name,
      routes.map((route) => route.name),
    )
    view.wrongValue(child(pointer, 'name'), `is not a known route of namespace ${namespace}`, {
      value: name,
      hint: meant && meant !== name ? `did you mean "${meant}"?` : undefined,
    })
  } else if (ruleName !== undefined && !fits.some((route) => route.value.ruleName === ruleName)) {
    const rules = fits.flatMap((route) => route.value.ruleName ?? [])
    missingReference(view, child(pointer, 'ruleName'), 'rule', ruleName, rules)
  }
}
