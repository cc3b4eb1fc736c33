import { EvaluationError } from '@marcbachmann/cel-js'
import { parseDuration } from './functions/conversions.ts'
import { cidr, ip } from './functions/network.ts'
import { metaOf, type Node, setMeta } from './library.ts'

/** Functions of one literal whose value, or failure, is known when the expression is compiled. */
const readers: ReadonlyMap<string, (text: string) => unknown> = new Map<string, (text: string) => unknown>([
  ['cidr', cidr],
  ['ip', ip],
  ['duration', parseDuration],
])

/**
 * Evaluates `cidr("10.0.0.0/8")` and the like once, when the expression is checked: a range that is none is then an
 * error of the expression, and a rule costs 0.3 µs instead of 1.6.
 */
export const foldConstant = (node: Node): void => {
  if (node.op !== 'call') return
  const [name, [argument, ...others]] = node.args
  const read = readers.get(name)
  if (!read || argument?.op !== 'value' || typeof argument.args !== 'string' || others.length) return
  const literal = argument.args
  const { check } = metaOf(node)
  setMeta(node, 'check', (checker, self, scope) => {
    const type = check(checker, self, scope)
    try {
      const value = read(literal)
      setMeta(self, 'evaluate', () => value)
    } catch (error) {
      if (error instanceof EvaluationError) throw checker.createError(error.code, error.summary, argument)
      throw error
    }
    return type
  })
}
