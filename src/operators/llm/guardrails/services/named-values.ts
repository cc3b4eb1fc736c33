/** The values of all members with one of these names, however deep they are. Answers may be nested deeper than a stack is. */
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
