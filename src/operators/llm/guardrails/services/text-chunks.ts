/** Limits of one callout, in characters (code points). */
export interface ChunkSize {
  readonly limit: number
  /** How much of a split text is in both parts, for matches across the boundary. */
  readonly overlap: number
}

/**
 * Packs texts into chunks: texts are joined by line breaks while they fit, and longer ones are split. Blank texts are
 * omitted.
 */
export const packTexts = (texts: readonly string[], size: ChunkSize): string[] => {
  const chunks: string[] = []
  let open = ''
  let openLength = 0
  for (const text of texts) {
    if (isBlank(text)) continue
    for (const part of splitText(text, size)) {
      const length = lengthOf(part)
      if (openLength > 0 && openLength + 1 + length <= size.limit) {
        open += `\n${part}`
        openLength += 1 + length
        continue
      }
      if (openLength > 0) chunks.push(open)
      open = part
      openLength = length
    }
  }
  if (openLength > 0) chunks.push(open)
  return chunks
}

/** The text, or its parts in order if it exceeds the limit. */
export const splitText = (text: string, { limit, overlap }: ChunkSize): string[] => {
  // A code point has at least one UTF-16 unit.
  if (text.length <= limit) return [text]
  const points = Array.from(text)
  if (points.length <= limit) return [text]
  const chunks: string[] = []
  for (let from = 0; ; from += limit - overlap) {
    chunks.push(points.slice(from, from + limit).join(''))
    if (from + limit >= points.length) return chunks
  }
}

/** A blank text needs no check, and some services reject it. */
export const isBlank = (text: string): boolean => text.trim() === ''

const lengthOf = (text: string): number => {
  let length = 0
  for (const _ of text) length++
  return length
}
