/**
 * Replaces a text that was received in pieces. The common beginning and end stay in their pieces; what differs goes
 * into the first piece that it touches, and is removed from the others.
 *
 * @example
 * replaceAcross(['call ', '555-', '1234', ' now'], 'call <PHONE> now') // ['call ', '<PHONE>', '', ' now']
 */
export const replaceAcross = (pieces: readonly string[], text: string): readonly string[] => {
  const before = pieces.join('')
  if (text === before) return pieces
  const shorter = Math.min(before.length, text.length)
  let head = 0
  while (head < shorter && before[head] === text[head]) head++
  let tail = 0
  while (tail < shorter - head && before.at(-1 - tail) === text.at(-1 - tail)) tail++
  const end = before.length - tail
  const put = text.slice(head, text.length - tail)
  let isPut = false
  let at = 0
  return pieces.map((piece, i) => {
    const start = at
    at += piece.length
    // An insertion at the end of a piece belongs to the next one, if there is one.
    const isFirst = !isPut && (at > head || i === pieces.length - 1)
    isPut ||= isFirst
    const kept = piece.slice(0, Math.max(0, head - start))
    return kept + (isFirst ? put : '') + piece.slice(Math.max(0, end - start))
  })
}
