/**
 * Splits a masked text into the parts of the original. Unchanged text stays in its part, and a replacement goes into
 * the part where it begins. A part of which nothing is left gets the replacement as well, since some models reject
 * empty parts.
 *
 * @example
 * maskAcross(['to a@', 'b.com', ' or c@d.org'], 'to <E> or <E>') // ['to <E>', '<E>', ' or <E>']
 */
export const maskAcross = (parts: readonly string[], masked: string): readonly string[] => {
  const whole = parts.join('')
  const made = parts.map(() => '')
  const ends: number[] = []
  for (const part of parts) ends.push((ends.at(-1) ?? 0) + part.length)
  let at = 0
  let index = 0
  const keep = (length: number) => {
    const end = at + length
    while (at < end) {
      while (at >= (ends[index] as number)) index++
      const to = Math.min(end, ends[index] as number)
      made[index] = (made[index] ?? '') + whole.slice(at, to)
      at = to
    }
  }
  for (const { kept, gone, put } of changes(whole, masked)) {
    keep(kept)
    while (index < parts.length - 1 && at >= (ends[index] as number)) index++
    made[index] = (made[index] ?? '') + put
    const first = index
    at += gone
    while (index < parts.length - 1 && at >= (ends[index] as number)) {
      index++
      // All of the part has been replaced.
      const isWhole = at >= (ends[index] as number) && gone > 0
      if (isWhole && index > first && made[index] === '' && parts[index] !== '') made[index] = put
    }
  }
  keep(whole.length - at)
  return made
}

/** Lengths of the unchanged and of the removed text, and the text inserted after them. */
interface Change {
  readonly kept: number
  readonly gone: number
  readonly put: string
}

const changes = (before: string, after: string): readonly Change[] => {
  const [a, b] = [wordsOf(before), wordsOf(after)]
  let head = 0
  while (head < a.length && head < b.length && a[head] === b[head]) head++
  let tail = 0
  const most = Math.min(a.length, b.length) - head
  while (tail < most && a.at(-1 - tail) === b.at(-1 - tail)) tail++
  const [gone, put] = [a.slice(head, a.length - tail), b.slice(head, b.length - tail)]
  const kept = lengthOf(a.slice(0, head))
  const isSmall = gone.length * put.length <= MOST_COMPARED
  if (!isSmall) return [{ kept, gone: lengthOf(gone), put: put.join('') }]
  const found = between(gone, put)
  const [first, ...rest] = found
  return first ? [{ ...first, kept: kept + first.kept }, ...rest] : []
}

/** The differences of two lists of words, from their longest common subsequence. */
const between = (a: readonly string[], b: readonly string[]): readonly Change[] => {
  const width = b.length + 1
  const common = new Uint32Array((a.length + 1) * width)
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      common[i * width + j] =
        a[i] === b[j]
          ? (common[(i + 1) * width + j + 1] as number) + 1
          : Math.max(common[(i + 1) * width + j] as number, common[i * width + j + 1] as number)
  const found: Change[] = []
  let [i, j, kept, gone, put] = [0, 0, 0, 0, '']
  const flush = () => {
    if (gone > 0 || put !== '') {
      found.push({ kept, gone, put })
      ;[kept, gone, put] = [0, 0, '']
    }
  }
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      flush()
      kept += (a[i] as string).length
      i++
      j++
    } else if (
      j < b.length &&
      (i === a.length || (common[i * width + j + 1] as number) >= (common[(i + 1) * width + j] as number))
    )
      put += b[j++] as string
    else gone += (a[i++] as string).length
  }
  flush()
  return found
}

const wordsOf = (text: string): readonly string[] => text.match(/\w+|\s+|[^\w\s]/gu) ?? []

const lengthOf = (words: readonly string[]): number => words.reduce((sum, word) => sum + word.length, 0)

/** Above this product of lengths, everything between the first and the last change counts as changed. */
const MOST_COMPARED = 1_000_000
