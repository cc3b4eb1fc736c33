/**
 * The end of a text, as much of it as has at most so many bytes of UTF-8.
 *
 * @example
 * endOfText('dünn', 3) // 'nn'
 */
export const endOfText = (text: string, limitBytes: number): string => {
  let start = text.length
  let bytes = 0
  while (start > 0) {
    const point = text.codePointAt(isPair(text, start) ? start - 2 : start - 1) as number
    bytes += point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4
    if (bytes > limitBytes) break
    start -= point < 0x10000 ? 1 : 2
  }
  return text.slice(start)
}

const isPair = (text: string, end: number): boolean =>
  end >= 2 && (text.codePointAt(end - 2) as number) > 0xffff
