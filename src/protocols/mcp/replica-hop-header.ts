import type { Keyring } from '../seal/aead-keyring.ts'

/** The header of a request that another replica has forwarded. */
export const HOP_FIELD = 'agentgateway-passed-on'

/** Attributes of a forwarded request for the receiving replica; sealed, so that clients cannot forge them. */
export interface HopMarker {
  /** Scheme of the client's request. */
  readonly scheme: 'http' | 'https'
}

/** Makes the value of the header. */
export const sealHop = ({ scheme }: HopMarker, ring: Keyring): string => ring.seal(scheme, PURPOSE)

/** @returns Undefined for values that no replica has made. */
export const openHop = (value: string, ring: Keyring): HopMarker | undefined => {
  const scheme = ring.open(value, PURPOSE)
  return scheme === 'http' || scheme === 'https' ? { scheme } : undefined
}

const PURPOSE = 'passed on between replicas'
