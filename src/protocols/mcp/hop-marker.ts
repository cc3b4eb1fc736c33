import type { SealRing } from '../seal/seal-ring.ts'

/** The field that says of a request that another replica has passed it on. */
export const HOP_FIELD = 'agentgateway-passed-on'

/** What one replica tells another of a request that it passes on, and nobody else can say. */
export interface HopMarker {
  /** How the client had asked. */
  readonly scheme: 'http' | 'https'
}

/** Writes the value of the field. */
export const sealHop = ({ scheme }: HopMarker, ring: SealRing): string => ring.seal(scheme, PURPOSE)

/** @returns Undefined for whatever no replica has written. */
export const openHop = (value: string, ring: SealRing): HopMarker | undefined => {
  const scheme = ring.open(value, PURPOSE)
  return scheme === 'http' || scheme === 'https' ? { scheme } : undefined
}

const PURPOSE = 'passed on between replicas'
