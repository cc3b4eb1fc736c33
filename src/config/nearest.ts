/**
 * The known name that a mistyped one was probably meant to be, or nothing if none is close.
 *
 * Close means: equal but for case, `-` and `_`, or at most a third of the letters wrong, counting a swap of two
 * neighbours as one.
 *
 * @example
 * nearest('pathprefix', ['exact', 'pathPrefix']) // 'pathPrefix'
 */
export function nearest(name: string, known: readonly string[]): string | undefined {
  const wanted = plain(name)
  let best: string | undefined
  let least = Math.max(1, Math.floor(name.length / 3)) + 1
  for (const candidate of known) {
    const away = wanted === plain(candidate) ? 0 : distance(wanted, plain(candidate), least)
    if (away >= least) continue
    best = candidate
    least = away
  }
  return best
}

function plain(name: string): string {
  return name.replace(/[-_]/g, '').toLowerCase()
}

/** Edits (insert, delete, replace, swap neighbours) from one text to the other, or `enough` if not fewer. */
function distance(a: string, b: string, enough: number): number {
  if (Math.abs(a.length - b.length) >= enough || a.length > 64 || b.length > 64) return enough
  let before: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const replace = cell(last, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1)
      let cost = Math.min(cell(last, j) + 1, cell(row, j - 1) + 1, replace)
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        cost = Math.min(cost, cell(before, j - 2) + 1)
      row.push(cost)
    }
    before = last
    last = row
  }
  return Math.min(cell(last, b.length), enough)
}

function cell(row: readonly number[], index: number): number {
  return row[index] ?? Number.MAX_SAFE_INTEGER
}
