import type { Owner } from '../../model/resources/replica.ts'
import type { Keyring } from '../seal/aead-keyring.ts'

/** Seals the owner of something in a text that clients store. */
export const sealOwner = ({ replica, address }: Owner, ring: Keyring, purpose: string): string =>
  // In an array, undefined would be serialized as null.
  ring.seal(JSON.stringify(address === undefined ? [replica] : [replica, address]), purpose)

/** @returns Undefined for values not made by `sealOwner` with one of the keys, for this purpose. */
export const openOwner = (text: string, ring: Keyring, purpose: string): Owner | undefined => {
  const json = ring.open(text, purpose)
  if (json === undefined) return undefined
  const [replica, address] = JSON.parse(json) as [string, string?]
  return { replica, address }
}
