import { child } from '../../../../config/document/json-pointer.ts'
import { isUdp, isUnix, hasHttpRoutes } from '../normalize/gateways.ts'
import { isWildcard } from '../normalize/binds.ts'
import {
  bindListeners,
  configuredListeners,
  type ListenerLocation,
} from '../../../../config/validate/route-locations.ts'
import { gatewayPolicyFields } from '../../../../config/schema/policies.ts'
import type { Check, ValidationContext } from '../../../../config/validate/context.ts'

/** Checks `gateways`: which listeners may share a port. */
export const checkGateways: Check = (view) => {
  const sites = configuredListeners(view)
  for (const [name, gateway] of Object.entries(view.file.gateways ?? {})) {
    const pointer = child('/gateways', name)
    const path = `gateways.${name}`
    if (isUnix(gateway.address)) {
      if (gateway.port !== undefined) view.problem(child(pointer, 'port'), 'a unix socket has no port')
    } else if (gateway.port === undefined) {
      view.problem(pointer, `${path}.port is required`)
    }
    const own = sites.filter((site) => site.pointer === pointer || site.pointer.startsWith(`${pointer}/`))
    if (gateway.listeners !== undefined && LISTENER_FIELDS.some((field) => Object.hasOwn(gateway, field))) {
      view.problem(
        pointer,
        `${path} cannot set protocol, tls, or policy fields when listeners are configured`,
      )
    }
    for (const { protocol, tls, pointer: at } of own) {
      if ((protocol === 'HTTP' || protocol === 'TCP') && tls !== undefined) {
        view.problem(child(at, 'tls'), `protocol ${protocol} cannot set tls`)
      }
      if (protocol === 'HTTPS' && tls === undefined) view.problem(at, 'protocol HTTPS requires tls')
    }
    examineMixture(view, pointer, `gateway listeners on port ${String(gateway.port ?? gateway.address)}`, own)
    examineSiblings(view, own)
  }
}

/** Checks `binds`, the older form: required fields, and which listeners may share a port. */
export const checkBinds: Check = (view) => {
  const binds = view.items(view.file.binds, '/binds')
  const wildcards = binds.filter(({ value }) => isWildcard(value))
  for (const { pointer } of wildcards.slice(1)) {
    view.problem(pointer, 'at most one wildcard bind (an internal bind without a port) is allowed')
  }
  for (const bind of binds) {
    const { value, pointer } = bind
    if (isUnix(value.address)) {
      if (value.port !== undefined) view.problem(child(pointer, 'port'), 'a unix socket has no port')
    } else if (value.port === undefined && value.mode !== 'internal') {
      view.problem(pointer, 'a bind without a port must set mode: internal')
    }
    const own = bindListeners(view, bind)
    const streams = own.filter((listener) => !isUdp(listener))
    for (const { source, protocol, tls, pointer: at } of streams) {
      const http = hasHttpRoutes(protocol)
      if (source.routes !== undefined && source.tcpRoutes !== undefined) {
        view.problem(at, "only 'routes' or 'tcpRoutes' may be set")
      } else if (http && source.routes === undefined) {
        view.problem(at, `protocol ${protocol} requires 'routes'`)
      } else if (!http && source.tcpRoutes === undefined) {
        view.problem(at, `protocol ${protocol} requires 'tcpRoutes'`)
      }
      if (protocol === 'HTTPS' && tls === undefined) view.problem(at, "HTTPS listener requires 'tls'")
      if ((protocol === 'HTTP' || protocol === 'TCP') && tls !== undefined) {
        view.problem(child(at, 'tls'), `protocol ${protocol} cannot set tls`)
      }
    }
    examineSiblings(view, own)
  }
}

const LISTENER_FIELDS = ['protocol', 'tls', ...Object.keys(gatewayPolicyFields)]

/** A port distinguishes TLS from plain text by the first byte, but cannot distinguish plain HTTP from plain TCP. */
function examineMixture(
  view: ValidationContext,
  pointer: string,
  where: string,
  sites: readonly ListenerLocation[],
): void {
  const has = (protocol: string): boolean => sites.some((site) => site.protocol === protocol)
  if ((has('HTTP') || has('HTTPS')) && has('TCP')) {
    view.problem(child(pointer, 'listeners'), `${where} cannot mix HTTP and TCP protocols`)
  } else if ((has('HTTPS') || has('TLS')) && (has('HTTP') || has('TCP'))) {
    view.problem(child(pointer, 'listeners'), `${where} cannot mix TLS and plaintext`)
  }
}

/** Reports listeners of one port that cannot be distinguished. */
function examineSiblings(view: ValidationContext, sites: readonly ListenerLocation[]): void {
  const names = new Map<string, ListenerLocation>()
  const hosts = new Map<string, ListenerLocation>()
  for (const site of sites) {
    const name = site.references.at(-1) ?? ''
    if (name !== '' && names.has(name)) {
      view.problem(child(site.pointer, 'name'), `another listener of this gateway has the same name`)
    }
    names.set(name, site)
    const host = isUdp(site) ? 'datagrams' : takenHost(site)
    const first = hosts.get(host)
    if (first === undefined) hosts.set(host, site)
    else {
      const what = isUdp(site) ? 'all datagrams' : site.hostname === '' ? 'every host' : site.hostname
      view.problem(site.pointer, `can never be reached: ${first.label} takes ${what} already`)
    }
  }
}

/** What a listener takes of the connections of its port. */
const takenHost = ({ protocol, hostname }: ListenerLocation): string => {
  const plain = protocol === 'HTTP' || protocol === 'TCP'
  return `${plain ? 'plain' : 'tls'} ${protocol === 'TCP' ? '' : hostname}`
}
