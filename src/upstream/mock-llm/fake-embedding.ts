/** A deterministic unit vector for a text. Texts with common words point in similar directions. */
export const textVector = (text: string, dimensions: number): number[] => {
  const sum = new Array<number>(dimensions).fill(0)
  const words = text.toLowerCase().split(/[^\p{L}\p{N}]+/u, MAX_WORDS)
  for (const word of words) if (word !== '') add(sum, hash(word))
  // A text without words needs a direction too.
  if (sum.every((value) => value === 0)) add(sum, hash(text))
  const length = Math.hypot(...sum)
  return sum.map((value) => Number((value / length).toFixed(8)))
}

/** The similarity of two unit vectors, from -1 to 1. */
export const cosine = (a: readonly number[], b: readonly number[]): number =>
  a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0)

/** Further words are ignored: a vector costs their number times its dimensions. */
const MAX_WORDS = 2000

/** Pseudo-random values from -1 to 1 that follow from the seed (xorshift32). */
const add = (sum: number[], seed: number): void => {
  let state = seed || 1
  for (let i = 0; i < sum.length; i++) {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    sum[i] = (sum[i] as number) + state / 0x80000000
  }
}

/** FNV-1a. */
const hash = (text: string): number => {
  let value = 0x811c9dc5
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193)
  return value | 0
}
