/** How much fits into one question, in characters (code points). */
export interface PortionSize {
  readonly limit: number
  /** So much of a text that has to be split is in both parts, for what lies across the border. */
  readonly overlap: number
}

/**
 * What a service is shown at a time: texts joined by line breaks for as long as they fit, and parts of those that are too
 * long by themselves. Texts with nothing but blanks are left out.
 */
export const portions = (texts: readonly string[], size: PortionSize): string[] => {
  const made: string[] = []
  let open = ''
  let openLength = 0
  for (const text of texts) {
    if (isBlank(text)) continue
    for (const part of parts(text, size)) {
      const length = lengthOf(part)
      if (openLength > 0 && openLength + 1 + length <= size.limit) {
        open += `\n${part}`
        openLength += 1 + length
        continue
      }
      if (openLength > 0) made.push(open)
      open = part
      openLength = length
    }
  }
  if (openLength > 0) made.push(open)
  return made
}

/** A text that fits, or its parts, in order. */
export const parts = (text: string, { limit, overlap }: PortionSize): string[] => {
  // A code point has one unit at least.
  if (text.length <= limit) return [text]
  const points = Array.from(text)
  if (points.length <= limit) return [text]
  const made: string[] = []
  for (let from = 0; ; from += limit - overlap) {
    made.push(points.slice(from, from + limit).join(''))
    if (from + limit >= points.length) return made
  }
}

/** There is nothing to be judged, and some services refuse to. */
export const isBlank = (text: string): boolean => text.trim() === ''

const lengthOf = (text: string): number => {
  let length = 0
  for (const _ of text) length++
  return length
}
