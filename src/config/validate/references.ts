import type * as File from '../schema/file-types.gen.ts'
import { child } from '../document/json-pointer.ts'
import { nearest } from '../schema-check/did-you-mean.ts'
import { aiProviders, llmModels, llmProviders } from '../../operators/llm/validate/locations.ts'
import { attachedTo } from '../../streams/http/port/normalize/gateways.ts'
import { backendName, serviceKey, serviceName } from '../normalize/references.ts'
import { servicePort } from '../../model/resources/service.ts'
import { declaredNames, type DeclaredNames, type RouteTransport } from './known-names.ts'
import { httpRoutes, tcpRoutes, udpRoutes } from './route-locations.ts'
import type { Check, Item, ValidationContext } from './context.ts'

/** Checks for references to undefined resources. */
export const checkReferences: Check = (view) => {
  const names = declaredNames(view.document.value)
  for (const route of view.items(view.file.routes, '/routes'))
    examineGateways(view, names, route, 'route', 'HTTP')
  for (const route of view.items(view.file.tcpRoutes, '/tcpRoutes'))
    examineGateways(view, names, route, 'tcproute', 'TCP')
  for (const route of view.items(view.file.udpRoutes, '/udpRoutes'))
    examineGateways(view, names, route, 'udproute', 'UDP')
  const { mcp } = view.file
  const onGateways = mcp?.gateways !== undefined || names.gateways.has('default')
  if (mcp !== undefined && onGateways && (mcp.port === undefined || mcp.gateways !== undefined))
    examineGateways(view, names, { value: mcp, index: 0, pointer: '/mcp' }, 'mcp', 'HTTP')
  const { llm } = view.file
  const llmIsAlone = llm?.port !== undefined || llm?.tls !== undefined
  if (llm !== undefined && !llmIsAlone && (llm.gateways !== undefined || names.gateways.has('default')))
    examineGateways(view, names, { value: llm, index: 0, pointer: '/llm' }, 'llm', 'HTTP')
  for (const route of httpRoutes(view)) {
    for (const { value, pointer } of view.items(route.value.backends, child(route.pointer, 'backends'))) {
      checkReference(view, names, value, pointer)
    }
    examineMirrors(view, names, route.value.policies, child(route.pointer, 'policies'))
  }
  for (const { value, pointer } of aiProviders(view))
    checkReference(view, names, { service: value.service }, pointer)
  for (const { value, pointer } of [...llmModels(view), ...llmProviders(view)])
    checkReference(view, names, { service: value.params?.service }, child(pointer, 'params'))
  for (const route of tcpRoutes(view)) {
    for (const { value, pointer } of view.items(route.value.backends, child(route.pointer, 'backends'))) {
      checkReference(view, names, value, pointer)
      const { backend } = value
      const named = view.file.backends?.find(
        ({ name }) => backend !== undefined && name === backendName(backend),
      )
      if (named !== undefined && named.host === undefined)
        view.wrongValue(child(pointer, 'backend'), 'must be a backend with a host: raw connections name none')
    }
  }
  for (const route of udpRoutes(view))
    for (const { value, pointer } of view.items(route.value.backends, child(route.pointer, 'backends')))
      checkReference(view, names, value, pointer, 'udp')
  for (const { value, pointer } of view.items(view.file.policies, '/policies')) {
    examineMirrors(view, names, value.policy, child(pointer, 'policy'))
  }
  for (const { value, pointer } of view.items(view.file.workloads, '/workloads')) {
    for (const service of Object.keys(value.services ?? {})) {
      if (!names.services.has(serviceName(service).toLowerCase())) {
        missingReference(
          view,
          child(child(pointer, 'services'), service),
          'service',
          service,
          names.services.keys(),
        )
      }
    }
  }
}

function examineGateways(
  view: ValidationContext,
  names: DeclaredNames,
  { value, index, pointer }: Item<Pick<File.AttachedRoute | File.AttachedTcpRoute, 'name' | 'gateways'>>,
  prefix: string,
  kind: RouteTransport,
): void {
  if (value.gateways === undefined && !names.gateways.has('default')) {
    const section = SECTIONS[kind]
    const known = [...names.gateways.keys()].filter((name) => !name.includes('/'))
    view.problem(
      pointer,
      `${section}.${value.name ?? `${prefix}${String(index)}`} must set gateways`,
      known.length === 0
        ? 'without a gateway named "default", each route names its gateways, and there are none'
        : `without a gateway named "default", each route names its gateways: ${known.join(', ')}`,
    )
    return
  }
  const listed = Array.isArray(value.gateways)
  attachedTo(value).forEach((reference, position) => {
    const own = child(pointer, 'gateways')
    const at = value.gateways === undefined ? pointer : listed ? child(own, position) : own
    const kinds = names.gateways.get(reference)
    if (kinds === undefined) {
      const meant = nearest(reference, names.gateways.keys())
      view.wrongValue(at, `unknown gateway reference ${reference}`, {
        hint: meant && `did you mean "${meant}"?`,
      })
    } else if (!kinds.has(kind)) {
      view.wrongValue(at, `gateway reference ${reference} has no ${kind} listeners`)
    }
  })
}

const SECTIONS: Readonly<Record<RouteTransport, string>> = {
  HTTP: 'routes',
  TCP: 'tcpRoutes',
  UDP: 'udpRoutes',
}

interface Reference {
  readonly backend?: string
  readonly service?: File.ServiceReference | undefined
  readonly routeGroup?: string
}

/** Checks that a destination exists. */
export function checkReference(
  view: ValidationContext,
  names: DeclaredNames,
  reference: Reference,
  pointer: string,
  transport: 'tcp' | 'udp' = 'tcp',
): void {
  const { backend, service, routeGroup } = reference
  if (backend !== undefined && !names.backends.has(backendName(backend))) {
    missingReference(view, child(pointer, 'backend'), 'backend', backend, names.backends)
  }
  if (routeGroup !== undefined && !names.routeGroups.has(routeGroup)) {
    missingReference(view, child(pointer, 'routeGroup'), 'route group', routeGroup, names.routeGroups)
  }
  if (service !== undefined) {
    const at = child(pointer, 'service')
    const name = serviceKey(service)
    const ports = names.services.get(name.toLowerCase())
    if (!names.services.has(name.toLowerCase()))
      missingReference(view, child(at, 'name'), 'service', name, names.services.keys())
    else if (ports !== undefined && !ports.has(servicePort(service.port, transport))) {
      view.wrongValue(
        child(at, 'port'),
        `service ${name} has no port ${servicePort(service.port, transport)}`,
        {
          hint: `it has ${[...ports].join(', ')}`,
        },
      )
    }
  }
}

function examineMirrors(
  view: ValidationContext,
  names: DeclaredNames,
  policies: File.RoutePolicies | undefined,
  pointer: string,
): void {
  const mirror = policies?.requestMirror
  if (mirror === undefined) return
  const at = child(pointer, 'requestMirror')
  if ('backend' in mirror) checkReference(view, names, mirror.backend, child(at, 'backend'))
  else {
    for (const one of view.items(mirror, at)) {
      checkReference(view, names, one.value.backend, child(one.pointer, 'backend'))
    }
  }
}

/** Reports an undefined name, with the most similar defined one. */
export function missingReference(
  view: ValidationContext,
  pointer: string,
  what: string,
  name: string,
  known: Iterable<string>,
): void {
  if (view.isPartial) return
  const meant = nearest(name, known)
  view.wrongValue(pointer, `is not a known ${what}`, {
    value: name,
    hint: meant && `did you mean "${meant}"?`,
  })
}
