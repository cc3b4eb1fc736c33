import { EvaluationError } from '@marcbachmann/cel-js'
import { parseCelDuration } from '../functions/conversions.ts'
import { cidr, ip } from '../functions/network.ts'
import { metaOf, type Node, setMeta } from './cel-js.ts'

/** Functions of one literal whose value, or failure, is constant. */
const readers: ReadonlyMap<string, (text: string) => unknown> = new Map<string, (text: string) => unknown>([
  ['cidr', cidr],
  ['ip', ip],
  ['duration', parseCelDuration],
])

/**
 * Evaluates `cidr("10.0.0.0/8")` and the like once, when the expression is checked: an invalid range is then
 * a compile error, and a rule costs 0.3 µs instead of 1.6.
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
