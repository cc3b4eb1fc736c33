import { CelError, positionAt } from './compile-error.ts'
import { childrenOf, type Node } from './cel-js.ts'
import { limits } from '../limits.ts'

/** Checking and evaluating recurse, and a long chain of operators is a deep tree. */
export const checkTreeDepth = (text: string, root: Node): void => {
  let level: readonly Node[] = [root]
  for (let depth = 0; level.length; depth++) {
    if (depth > limits.treeDepth)
      throw new CelError(
        `the expression is nested deeper than ${limits.treeDepth} levels`,
        positionAt(text, 0),
        'a long chain of == and || is better written: x in [a, b, c]',
      )
    level = level.flatMap(childrenOf)
  }
}
