/**
 * Whether a URI matches a template (RFC 6570): the literals between expressions occur in it, in order, the first at its
 * beginning and the last at its end. An expression never matches an empty text.
 *
 * Takes time in proportion to both lengths.
 *
 * @example
 * fitsTemplate('test://{id}/data', 'test://7/data') // true
 */
export const fitsTemplate = (template: string, uri: string): boolean => {
  const texts = textsOf(template)
  const [first = ''] = texts
  if (texts.length === 1) return uri === first
  const last = texts.at(-1) as string
  if (!uri.startsWith(first)) return false
  let at = first.length
  for (const text of texts.slice(1, -1)) {
    const found = uri.indexOf(text, at + 1)
    if (found < 0) return false
    at = found + text.length
  }
  return uri.endsWith(last) && uri.length - last.length > at
}

/** The literals between, before and after the expressions. */
const textsOf = (template: string): string[] => {
  const texts: string[] = []
  let at = 0
  for (;;) {
    const open = template.indexOf('{', at)
    const close = open < 0 ? -1 : template.indexOf('}', open)
    if (close < 0) return [...texts, template.slice(at)]
    texts.push(template.slice(at, open))
    at = close + 1
  }
}
