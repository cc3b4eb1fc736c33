import { CelError, positionAt } from './cel-error.ts'
import { childrenOf, type Node } from './library.ts'
import { limits } from './limits.ts'

/** Checking and evaluating recurse; a long chain of operators is as deep as it is long. */
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
