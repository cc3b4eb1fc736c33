/** Whether something is the number of a port. Ports by name are texts, and old objects may have others. */
export const isPort = (value: unknown): value is number =>
  Number.isInteger(value) && (value as number) >= 1 && (value as number) <= 65_535
