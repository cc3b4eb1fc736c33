import type { Owner } from '../../model/owner.ts'
import type { SealRing } from '../seal/seal-ring.ts'

/** Writes down who has something, in a text that clients keep. */
export const sealOwner = ({ replica, address }: Owner, ring: SealRing, purpose: string): string =>
  // In a list, undefined would be written as null.
  ring.seal(JSON.stringify(address === undefined ? [replica] : [replica, address]), purpose)

/** @returns Undefined for whatever was not made by `sealOwner` with one of the keys, for this purpose. */
export const openOwner = (text: string, ring: SealRing, purpose: string): Owner | undefined => {
  const json = ring.open(text, purpose)
  if (json === undefined) return undefined
  const [replica, address] = JSON.parse(json) as [string, string?]
  return { replica, address }
}
