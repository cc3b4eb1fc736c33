/**
 * A 32-bit hash of a text, spread evenly over its range: each code unit is multiplied in, and a finisher mixes every
 * bit of the input into every bit of the output. Not for secrets.
 */
export const hashText = (text: string): number => {
  let hash = 0x9e3779b9 ^ text.length
  for (let i = 0; i < text.length; i++) {
    hash = Math.imul(hash ^ text.charCodeAt(i), 0x85ebca6b)
    hash = (hash << 13) | (hash >>> 19)
  }
  return stir(hash)
}

/** The weight of a choice for a key: the choice with the highest one wins (rendezvous hashing). */
export const rendezvousWeight = (key: number, choice: number): number =>
  stir(key ^ Math.imul(choice, 0xc2b2ae35))

/** The finisher of MurmurHash3, with its public constants. */
const stir = (hash: number): number => {
  let h = hash
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return (h ^ (h >>> 16)) >>> 0
}
