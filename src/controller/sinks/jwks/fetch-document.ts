import { lookup as resolve, type LookupAddress, type LookupOptions } from 'node:dns'
import { BlockList, isIP } from 'node:net'
import { Agent, request } from 'undici'

/** A key set at an address that a tenant of the cluster has chosen. */
export interface DocumentSource {
  readonly url: string
  readonly tls?: { readonly rootPem?: string; readonly serverName?: string }
}

/** Whether the control plane may connect to an address. */
export type AddressCheck = (address: string) => boolean

/**
 * Fetches a key set, and gives its text. Follows no redirects, uses no proxies of the environment, and connects to no
 * address that `isAllowed` refuses, whatever a name resolves to.
 *
 * @throws Error with a sentence, if there is none.
 */
export const fetchKeySet = async (
  { url, tls }: DocumentSource,
  signal: AbortSignal,
  isAllowed: AddressCheck = isFetchAddress,
): Promise<string> => {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '')
  if (isIP(host) && !isAllowed(host)) throw new Error(`${host} is an address that keys are not fetched from`)
  const agent = new Agent({
    connect: {
      timeout: CONNECT_TIMEOUT_MS,
      lookup: checkedLookup(isAllowed),
      ...(tls?.rootPem === undefined ? {} : { ca: tls.rootPem }),
      ...(tls?.serverName === undefined ? {} : { servername: tls.serverName }),
    },
    connections: 1,
    allowH2: false,
  })
  try {
    const { statusCode, body } = await request(url, {
      dispatcher: agent,
      headers: { accept: 'application/jwk-set+json, application/json', 'user-agent': 'agentgateway' },
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    })
    const chunks: Buffer[] = []
    let bytes = 0
    for await (const chunk of body as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > MAX_BYTES) throw new Error(`the key set has more than ${MAX_BYTES} bytes`)
      chunks.push(chunk)
    }
    if (statusCode !== 200) throw new Error(`it answered with status ${statusCode}`)
    const text = Buffer.concat(chunks).toString('utf8')
    if (!isKeySet(text)) throw new Error('it answered with something that is no key set')
    return text
  } finally {
    await agent.destroy()
  }
}

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
  ['224.0.0.0', 4],
] as const)
  blocked.addSubnet(net, prefix, 'ipv4')
for (const [net, prefix] of [
  ['::', 128],
  ['::1', 128],
  ['fe80::', 10],
  ['fd00:ec2::', 32],
  ['ff00::', 8],
  // Translated (NAT64): link-local addresses of IPv4.
  ['64:ff9b::a9fe:0', 112],
] as const)
  blocked.addSubnet(net, prefix, 'ipv6')

type LookupCallback = (
  error: NodeJS.ErrnoException | null,
  address: string | LookupAddress[],
  family?: number,
) => void

/** Resolves names to the addresses that may be connected to; it is an error if there is none. */
const checkedLookup =
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

const isKeySet = (text: string): boolean => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && 'keys' in value && Array.isArray(value.keys)
  } catch {
    return false
  }
}

const CONNECT_TIMEOUT_MS = 5_000
const TIMEOUT_MS = 10_000
const MAX_BYTES = 1_048_576
