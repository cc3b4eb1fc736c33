import type { JsonObject } from '@bufbuild/protobuf'
import type { Headers } from '../../model/exchange/headers.ts'
import { parseAuthority } from '../../protocols/http/authority.ts'
import { hostPortText } from '../../protocols/ip/host-port.ts'
import { formatIp, parseIp } from '../../protocols/ip/ip-address.ts'

/** The choice of a picker: a request header, and a field of its dynamic metadata under `envoy.lb`. */
export const DESTINATION = 'x-gateway-destination-endpoint'
/** The endpoints that a picker may choose, under `envoy.lb.subset_hint`. */
export const SUBSET = 'x-gateway-destination-endpoint-subset'
/** The endpoint that a response came from, under `envoy.lb`. */
export const SERVED = 'x-gateway-destination-endpoint-served'

/** More than any picker chooses for one request. */
const MAX_ENDPOINTS = 64

/**
 * The endpoints that a picker has chosen, as `ip:port`, the preferred one first: from the header that it has set, else
 * from its metadata.
 *
 * @returns Undefined if it has chosen none; `invalid` with the text if that is no list of addresses.
 */
export const pickedEndpoints = (
  headers: Headers,
  metadata: JsonObject | undefined,
): { readonly endpoints: readonly string[] } | { readonly invalid: string } | undefined => {
  const text = headers.get(DESTINATION) ?? ofMetadata(metadata)
  if (text === undefined) return undefined
  const endpoints = text.split(',').map((one) => endpointOf(one.trim()))
  const isValid = endpoints.length <= MAX_ENDPOINTS && endpoints.every((one) => one !== undefined)
  return isValid ? { endpoints } : { invalid: text }
}

const ofMetadata = (metadata: JsonObject | undefined): string | undefined => {
  const namespace = metadata?.['envoy.lb']
  if (typeof namespace !== 'object' || namespace === null || Array.isArray(namespace)) return undefined
  const value = namespace[DESTINATION]
  if (value === undefined) return undefined
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** The address in the form that endpoints have: names are not resolved, and a port is required. */
const endpointOf = (text: string): string | undefined => {
  const { host = '', port } = parseAuthority(text) ?? {}
  const ip = parseIp(host.startsWith('[') ? host.slice(1, -1) : host)
  return ip && port !== undefined && port > 0 ? hostPortText(formatIp(ip), port) : undefined
}
