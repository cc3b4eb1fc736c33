import type { Position } from '../../../config/document/document.ts'

/** A directive of nginx, with the block that follows it, if there is one. */
export interface Directive {
  readonly name: string
  readonly args: readonly string[]
  readonly at: Position
  readonly block: readonly Directive[] | undefined
}
