/**
 * The known names that are most similar to `name`: at most three, most similar first.
 *
 * @example
 * nearNames('pth', ['path', 'method', 'host']) // ['path']
 */
export const nearNames = (name: string, known: Iterable<string>): string[] => {
  const most = Math.max(1, Math.floor(name.length / 3))
  const near: { candidate: string; distance: number }[] = []
  for (const candidate of new Set(known)) {
    if (Math.abs(candidate.length - name.length) > most) continue
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase())
    if (distance <= most) near.push({ candidate, distance })
  }
  return near
    .sort((a, b) => a.distance - b.distance)
    .slice(0, 3)
    .map(({ candidate }) => candidate)
}

/** Insertions, deletions, replacements and swaps of neighbours between two words. */
const editDistance = (a: string, b: string): number => {
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1]
      let cost = Math.min(
        (last[j] as number) + 1,
        (row[j - 1] as number) + 1,
        (last[j - 1] as number) + (same ? 0 : 1),
      )
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        cost = Math.min(cost, (beforeLast[j - 2] as number) + 1)
      row.push(cost)
    }
    beforeLast = last
    last = row
  }
  return last[b.length] as number
}
