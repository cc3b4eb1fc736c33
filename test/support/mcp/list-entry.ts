/** @returns The list entry of a tool or a prompt: its data, without its function. */
export const listEntry = <Item extends object>(item: Item) =>
  Object.fromEntries(Object.entries(item).filter(([, value]) => typeof value !== 'function')) as {
    [Key in keyof Item as Item[Key] extends (...args: never[]) => unknown ? never : Key]: Item[Key]
  }
