import type { Position } from '../../../config/document/document.ts'

/** A directive of nginx, with the block that follows it, if there is one. */
export interface Directive {
  readonly name: string
  readonly args: readonly string[]
  readonly at: Position
  readonly block: readonly Directive[] | undefined
}

/** All directives of a block with one of these names. */
export const directivesOf = (
  block: readonly Directive[],
  ...names: readonly string[]
): readonly Directive[] => block.filter(({ name }) => names.includes(name))

/** The last directive of a block with a name, which is the one that applies. */
export const directiveOf = (block: readonly Directive[], name: string): Directive | undefined =>
  block.findLast((directive) => directive.name === name)
