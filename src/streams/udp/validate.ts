import type * as File from '../../config/schema/file-types.gen.ts'
import { child } from '../../config/document/json-pointer.ts'
import { parseServiceHost } from '../../config/format/service-host.ts'
import { backendName } from '../../config/normalize/references.ts'
import { gatewayPolicyFields } from '../../config/schema/policies.ts'
import type { Check, ValidationContext } from '../../config/validate/context.ts'
import { bindListeners, configuredListeners, udpRoutes } from '../../config/validate/route-locations.ts'
import { isUdp, isUnix } from '../http/port/normalize/gateways.ts'

/** Checks UDP listeners, their ports and their routes. */
export const checkUdp: Check = (view) => {
  for (const { value: bind, pointer } of view.items(view.file.binds, '/binds')) {
    const own = bindListeners(view, { value: bind, index: 0, pointer })
    for (const { source, pointer: at, protocol } of own) examineBoundRoutes(view, source, protocol, at)
    const udp = own.filter(isUdp)
    for (const { source, pointer: at } of udp) {
      examineListener(view, source, at)
      examinePolicies(view, source.policies ?? {}, child(at, 'policies'))
    }
    if (udp.length > 0) examineBind(view, bind, pointer)
  }
  for (const [name, gateway] of Object.entries(view.file.gateways ?? {})) {
    const pointer = child('/gateways', name)
    const udp = configuredListeners(view).filter(
      (site) => isUdp(site) && (site.pointer === pointer || site.pointer.startsWith(`${pointer}/`)),
    )
    for (const { policies, pointer: at } of udp) {
      examineListener(view, policies, at)
      examinePolicies(view, policies, at)
    }
    if (udp.length > 0 && isUnix(gateway.address))
      view.wrongValue(child(pointer, 'address'), NEEDS_ADDRESS, { value: gateway.address })
  }
  for (const route of udpRoutes(view))
    for (const { value, pointer } of view.items(route.value.backends, child(route.pointer, 'backends')))
      examineBackend(view, value, pointer)
}

const NEEDS_ADDRESS = 'must be an IP address: protocol UDP needs a port'

/** What a listener may not have, with the reason. */
const UNUSED = {
  tls: 'the gateway does not encrypt datagrams; DTLS and QUIC pass through as they are',
  hostname: 'datagrams carry no host name that the gateway reads',
} as const

const examineListener = (view: ValidationContext, source: object, pointer: string): void => {
  for (const [name, hint] of Object.entries(UNUSED))
    if (Object.hasOwn(source, name))
      view.problem(child(pointer, name), `protocol UDP cannot set ${name}`, hint)
}

const examinePolicies = (view: ValidationContext, policies: object, pointer: string): void => {
  for (const name of Object.keys(gatewayPolicyFields))
    if (Object.hasOwn(policies, name))
      view.problem(
        child(pointer, name),
        `protocol UDP cannot set ${name}`,
        'it acts on requests, which datagrams are not; networkAuthorization restricts clients',
      )
}

const examineBoundRoutes = (
  view: ValidationContext,
  source: File.BindListener,
  protocol: string,
  pointer: string,
): void => {
  if (protocol !== 'UDP') {
    if (source.udpRoutes !== undefined)
      view.problem(child(pointer, 'udpRoutes'), `protocol ${protocol} cannot set udpRoutes`)
    return
  }
  for (const name of ['routes', 'tcpRoutes'] as const)
    if (source[name] !== undefined)
      view.problem(child(pointer, name), `protocol UDP cannot set ${name}`, 'use udpRoutes')
  if (source.udpRoutes === undefined) view.problem(pointer, "protocol UDP requires 'udpRoutes'")
}

const examineBind = (view: ValidationContext, bind: File.Bind, pointer: string): void => {
  const { address, mode, tunnelProtocol } = bind
  if (isUnix(address)) view.wrongValue(child(pointer, 'address'), NEEDS_ADDRESS, { value: address })
  if (mode === 'internal')
    view.problem(child(pointer, 'mode'), 'protocol UDP needs a port', 'tunnels carry connections only')
  if (tunnelProtocol !== undefined && tunnelProtocol !== 'direct')
    view.problem(
      child(pointer, 'tunnelProtocol'),
      'a port with protocol UDP must be direct',
      'datagrams have no preceding protocol; use another bind for connections',
    )
}

const examineBackend = (view: ValidationContext, backend: File.UdpRouteBackend, pointer: string): void => {
  if (backend.host !== undefined) {
    if (!isDatagramHost(backend.host))
      view.wrongValue(child(pointer, 'host'), 'must be host:port, without a scheme', { value: backend.host })
    return
  }
  const { backend: reference } = backend
  if (reference === undefined) return
  const named = view.file.backends?.find(({ name }) => name === backendName(reference))
  if (named !== undefined && (named.host === undefined || !isDatagramHost(named.host)))
    view.wrongValue(child(pointer, 'backend'), 'must be a backend with a host, as host:port')
}

/** Whether datagrams can be sent to it: no unix socket, and no scheme that would promise TLS. */
const isDatagramHost = (text: string): boolean => {
  const parsed = parseServiceHost(text)
  return parsed !== undefined && !('unix' in parsed.target) && !/^https?:/i.test(text)
}
