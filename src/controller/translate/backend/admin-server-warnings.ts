import { defaults } from '../../../config/defaults.ts'
import { isThisMachine } from '../../../protocols/ip/this-machine.ts'
import type { BackendParts } from '../../schema/backend-form.ts'

/**
 * What a backend has of the admin server of proxies, to which they do not connect. Names other than `localhost` are known
 * to them only.
 */
export const adminServerWarnings = (parts: BackendParts): readonly string[] => [
  ...new Set(
    addressesIn(parts)
      .filter(isAdminServer)
      .map(
        (address) => `${address} is the admin server of the proxies themselves: they do not connect to it`,
      ),
  ),
]

const ADMIN_PORT = defaults.adminAddr.slice(defaults.adminAddr.lastIndexOf(':') + 1)

const isAdminServer = (address: string): boolean => {
  const [, host = '', port] = /^\[?(.*?)\]?:(\d+)$/.exec(address) ?? []
  return port === ADMIN_PORT && (isThisMachine(host) || /^(.*\.)?localhost\.?$/i.test(host))
}

/** The addresses of the kind of a backend, and of its providers and servers; those of policies are of other services. */
const addressesIn = (value: unknown): readonly string[] => {
  if (Array.isArray(value)) return value.flatMap(addressesIn)
  if (typeof value !== 'object' || value === null) return []
  const { policies: _, host, port, hostOverride, ...others } = value as Readonly<Record<string, unknown>>
  const own = [typeof port === 'number' ? `${String(host)}:${String(port)}` : host, hostOverride]
  return [...own.filter((one) => typeof one === 'string'), ...Object.values(others).flatMap(addressesIn)]
}
