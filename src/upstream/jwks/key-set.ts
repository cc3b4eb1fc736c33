import type { KeyRing } from '../../protocols/jwk/key-ring.ts'

/** Keys to verify tokens with, which may change while the gateway runs. */
export interface KeySet {
  /** The current keys; undefined before there are any. A new ring whenever keys have changed. */
  readonly ring: KeyRing | undefined
  /** Fetches the keys again if this one is missing and they have a source. Never rejects. */
  seek(id: string): Promise<void>
}

/** Keys that never change. */
export const fixedKeySet = (ring: KeyRing): KeySet => ({ ring, seek: () => Promise.resolve() })
