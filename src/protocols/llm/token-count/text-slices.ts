/**
 * The maximum length of a slice, in UTF-16 units. The time of an encoder grows with the square of the length of a piece
 * without a space: sixteen thousand Chinese characters at once take more than a second.
 */
const SLICE_LENGTH = 256

/**
 * Cuts a text into slices that can be counted one by one, with the least effect on the sum: before the last space that
 * fits, since encoders join a word with the space before it. A text without spaces is cut anywhere but inside a
 * character.
 */
export function* textSlices(text: string): Generator<string, void, undefined> {
  let from = 0
  while (text.length - from > SLICE_LENGTH) {
    const to = cutBefore(text, from, from + SLICE_LENGTH)
    yield text.slice(from, to)
    from = to
  }
  if (from < text.length) yield text.slice(from)
}

const cutBefore = (text: string, from: number, limit: number): number => {
  for (let at = limit; at > from; at--) if (text.charCodeAt(at) === SPACE) return at
  return isLowSurrogate(text.charCodeAt(limit)) ? limit - 1 : limit
}

const SPACE = 0x20

const isLowSurrogate = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff
