import { embeddedIpv4 } from './embedded-ipv4.ts'
import type { IpBytes } from './ip-address.ts'
import { ipRangeContains, requiredIpRange } from './ip-range.ts'

/**
 * Whether an address leads to the machine itself, to its links, to many machines at once, or to what a cloud has for its
 * machines, such as their credentials. Private networks are none of these. Embedded IPv4 addresses count as themselves.
 */
export const isLocalAddress = (address: IpBytes): boolean => {
  const real = embeddedIpv4(address)
  return (real.length === 4 ? local4 : local6).some((range) => ipRangeContains(range, real))
}

const local4 = [
  '0.0.0.0/8',
  '127.0.0.0/8',
  // Most clouds have the metadata of machines at addresses of links.
  '169.254.0.0/16',
  // Alibaba, Azure, Oracle.
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.192',
  '224.0.0.0/4',
].map(requiredIpRange)

const local6 = [
  // Unspecified, loopback, and the deprecated form with an address of IPv4.
  '::/96',
  'fe80::/10',
  // The services of AWS for machines; the metadata of Google, Oracle, Scaleway, Alibaba and Akamai.
  'fd00:ec2::/32',
  'fd20:ce::254',
  'fd00:c1::a9fe:a9fe',
  'fd00:42::42',
  'fd00:100::100:200',
  'fd00:a9fe:a9fe::1',
  'ff00::/8',
].map(requiredIpRange)
