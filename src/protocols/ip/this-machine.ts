import { type IpBytes, parseIp, unmapIp } from './ip-address.ts'

/** Whether a text is an address that leads to this machine: loopback, or the unspecified address, which leads there. */
export const isThisMachine = (ip: string): boolean => {
  const address = parseIp(ip)
  if (!address) return false
  const bytes = unmapIp(address)
  if (bytes.length === 4) return bytes[0] === 127 || bytes[0] === 0
  return isZero(bytes.subarray(0, 12)) || isZero(bytes.subarray(0, 15))
}

const isZero = (bytes: IpBytes): boolean => bytes.every((byte) => byte === 0)
