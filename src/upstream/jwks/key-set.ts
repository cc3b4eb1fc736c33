import type { KeyRing } from '../protocols/jwk/key-ring.ts'

/** Keys to verify tokens with, which may change while the gateway runs. */
export interface KeySet {
  /** The keys now; undefined while there never were any. Another ring whenever keys have changed. */
  readonly ring: KeyRing | undefined
  /** Looks for a key that is not among them where they are from, if that is some place. Never fails. */
  seek(id: string): Promise<void>
}

/** Keys that were given once and for all. */
export const fixedKeySet = (ring: KeyRing): KeySet => ({ ring, seek: () => Promise.resolve() })
