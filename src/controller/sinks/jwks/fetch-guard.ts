import { lookup as resolve, type LookupAddress, type LookupOptions } from 'node:dns'
import { BlockList, isIP } from 'node:net'

/** Whether the control plane may connect to an address. */
export type AddressCheck = (address: string) => boolean

/** Not this machine, its links, and where clouds keep the credentials of machines. */
export const isFetchAddress: AddressCheck = (address) => {
  const family = isIP(address)
  return family !== 0 && !blocked.check(address, family === 6 ? 'ipv6' : 'ipv4')
}

// A list checks mapped addresses of IPv4 by its subnets of IPv4.
const blocked = new BlockList()
for (const [net, prefix] of [
  ['0.0.0.0', 8],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['100.100.100.200', 32],
  ['168.63.129.16', 32],
  ['192.0.0.192', 32],
  ['224.0.0.0', 4],
] as const)
  blocked.addSubnet(net, prefix, 'ipv4')
for (const [net, prefix] of [
  // Unspecified, loopback, and the deprecated form with an address of IPv4.
  ['::', 96],
  ['fe80::', 10],
  ['fd00:ec2::', 32],
  ['ff00::', 8],
  // Translated (NAT64): loopback and link-local addresses of IPv4, and the metadata of a cloud.
  ['64:ff9b::7f00:0', 104],
  ['64:ff9b::a9fe:0', 112],
  ['64:ff9b::6464:64c8', 128],
] as const)
  blocked.addSubnet(net, prefix, 'ipv6')

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
