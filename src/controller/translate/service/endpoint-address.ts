import { parseIp, unmapIp } from '../../../protocols/ip/ip-address.ts'
import { ipRangeContains, requiredIpRange } from '../../../protocols/ip/ip-range.ts'
import { isLocalAddress } from '../../../protocols/ip/local-address.ts'

/**
 * Whether proxies may connect to an address of an endpoint. Whoever may write EndpointSlices could otherwise have the
 * proxy of a Gateway reach itself, its node, or the metadata of a cloud. The API server refuses loopback, links and
 * multicast; not the forms of IPv6 that lead to addresses of IPv4, nor the metadata of clouds at other addresses.
 */
export const isEndpointAddress = (address: string): boolean => {
  // No zones, which proxies refuse, and no mapped addresses of IPv4.
  const bytes = parseIp(address)
  if (bytes === undefined || unmapIp(bytes) !== bytes) return false
  return !isLocalAddress(bytes) || ipRangeContains(sharedWithPods, bytes)
}

/**
 * The metadata of Scaleway. Pods have fd00:42::/56 in many clusters of k3s, beside 10.42.0.0/16: this is the 66th address
 * of the first node, and that pod would get no requests.
 */
const sharedWithPods = requiredIpRange('fd00:42::42')
