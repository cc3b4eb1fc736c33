import type { LRUCache } from 'lru-cache'

/** The entry of a key, made and kept if there is none. */
export const getOrMake = <V extends object>(cache: LRUCache<string, V>, key: string, make: () => V): V => {
  const known = cache.get(key)
  if (known) return known
  const made = make()
  cache.set(key, made)
  return made
}
