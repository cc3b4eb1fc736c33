/** The condition of an alternative, if it has one. */
export function conditionOf({ condition }: { readonly condition?: string }): { readonly condition?: string } {
  return condition === undefined ? {} : { condition }
}
