import { lookup as resolve, type LookupAddress, type LookupOptions } from 'node:dns'
import { isIP } from 'node:net'
import { parseIp } from '../../../protocols/ip/ip-address.ts'
import { isLocalAddress } from '../../../protocols/ip/local-address.ts'

/** Whether the control plane may connect to an address. */
export type AddressCheck = (address: string) => boolean

/** Not this machine, its links, and where clouds keep the credentials of machines. */
export const isFetchAddress: AddressCheck = (address) => {
  const bytes = parseIp(address)
  return bytes !== undefined && !isLocalAddress(bytes)
}

/** The host of a URL, without the brackets of an address. */
export const urlHost = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '')

/**
 * Checks a host that is written as an address, which nothing looks up.
 *
 * @throws Error with a sentence, if it must not be connected to.
 */
export const checkHost = (host: string, isAllowed: AddressCheck): void => {
  if (isIP(host) && !isAllowed(host)) throw new Error(`${host} is an address that keys are not fetched from`)
}

type LookupCallback = (
  error: NodeJS.ErrnoException | null,
  address: string | LookupAddress[],
  family?: number,
) => void

/** Resolves names to the addresses that may be connected to; it is an error if there is none. */
export const checkedLookup =
  (isAllowed: AddressCheck) =>
  (hostname: string, options: LookupOptions, callback: LookupCallback): void => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) {
        callback(error, [])
        return
      }
      const allowed = addresses.filter(({ address }) => isAllowed(address))
      const [first] = allowed
      if (!first) callback(new Error(`${hostname} has no address that keys are fetched from`), [])
      else if (options.all) callback(null, allowed)
      else callback(null, first.address, first.family)
    })
  }
