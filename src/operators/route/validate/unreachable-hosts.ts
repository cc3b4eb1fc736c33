import { child } from '../../../config/document/json-pointer.ts'
import { hostnames } from '../../../streams/http/port/normalize/hostname.ts'
import { httpRoutes, tcpRoutes } from '../../../config/validate/route-locations.ts'
import type { Check } from '../../../config/validate/context.ts'

/** Checks for routes that can never be selected, because none of their listeners serves any of their hosts. */
export const checkUnreachableHosts: Check = (view) => {
  for (const route of [...httpRoutes(view), ...tcpRoutes(view)]) {
    const hosts = hostnames(route.value.hostnames)
    if (hosts.length === 0 || route.listeners.length === 0) continue
    if (route.listeners.some((listener) => hosts.some((host) => overlap(host, listener.hostname)))) continue
    const here = view.document.display(route.pointer)
    const where = route.listeners.map(({ label, hostname }) => `${label} (${hostname})`).join(', ')
    view.warning(
      child(route.pointer, 'hostnames'),
      'unreachable_hostnames',
      `${here} is never chosen: none of its hosts is taken by ${where}`,
    )
  }
}

/** Whether a host name can match both patterns. */
function overlap(a: string, b: string): boolean {
  if (a === '' || b === '' || a === b) return true
  return covers(a, b) || covers(b, a)
}

function covers(pattern: string, name: string): boolean {
  return pattern.startsWith('*.') && name.endsWith(pattern.slice(1)) && name.length > pattern.length - 1
}
