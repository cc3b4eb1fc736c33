/**
 * The values of all members with one of these names, at any depth. Not recursive: responses may be nested deeper than
 * the stack.
 */
export const namedValues = (value: unknown, ...names: readonly string[]): unknown[] => {
  const found: unknown[] = []
  const open: unknown[] = [value]
  while (open.length > 0) {
    const one = open.pop()
    if (typeof one !== 'object' || one === null) continue
    for (const [name, inner] of Object.entries(one)) {
      if (names.includes(name)) found.push(inner)
      open.push(inner)
    }
  }
  return found
}
