import { Duration } from '@marcbachmann/cel-js/evaluator'
import { equals, keyOf } from './equality.ts'
import { celError } from './failure.ts'
import { HeadersView, refuseRepeated } from './headers-view.ts'
import { checkedTypeOf, type Evaluator, metaOf, type Node, type Scope, setMeta } from './library.ts'
import { isRecordView } from './record.ts'
import { firstTime, lastTime } from './time-text.ts'
import { isPlainObject } from './values.ts'

/** Gives a node the evaluation that CEL has for it, where the library has another, or a slower one. */
export const mendOperator = (node: Node): void => {
  switch (node.op) {
    case '==':
      setMeta(node, 'evaluate', (evaluator, self, scope) => areEqual(evaluator, self, scope))
      return
    case '!=':
      setMeta(node, 'evaluate', (evaluator, self, scope) => !areEqual(evaluator, self, scope))
      return
    case 'in':
      setMeta(node, 'evaluate', mayHoldRepeated(node) ? isMemberOfAny : isMember)
      return
    case '+':
    case '-':
      addTimes(node)
      keepInRange(node)
      return
    case '/':
    case '-_':
      keepInRange(node)
  }
}

type Binary = Node & { readonly args: readonly [Node, Node] }

const areEqual = (evaluator: Evaluator, node: Node, scope: Scope): boolean => {
  const [left, right] = (node as Binary).args
  return equals(evaluator.run(left, scope), evaluator.run(right, scope))
}

const isMember = (evaluator: Evaluator, node: Node, scope: Scope): boolean => {
  const [left, right] = (node as Binary).args
  const item = evaluator.run(left, scope)
  const all = evaluator.run(right, scope)
  if (Array.isArray(all)) {
    // Most lists are of texts: `includes` takes a fifth of the time.
    if (typeof item === 'string') return all.includes(item)
    return all.some((one) => equals(item, one))
  }
  refuseRepeated(item)
  if (all instanceof Map) return all.has(keyOf(item))
  if (all instanceof HeadersView) return typeof item === 'string' && all.has(item)
  if (typeof all === 'object' && all !== null && (isPlainObject(all) || isRecordView(all)))
    return (
      typeof item === 'string' &&
      (all as Record<string, unknown>)[item] !== undefined &&
      ownOrField(all, item)
    )
  throw celError('no_such_overload', 'in takes a list or a map')
}

/** Whether it looks into a list that is written down and may have a header in it that came more than once. */
const mayHoldRepeated = (node: Node): boolean => {
  const list = (node as Binary).args[1]
  return list.op === 'list' && list.args.some((one) => one.op !== 'value')
}

const isMemberOfAny = (evaluator: Evaluator, node: Node, scope: Scope): boolean => {
  const [left, right] = (node as Binary).args
  const item = evaluator.run(left, scope)
  return (evaluator.run(right, scope) as unknown[]).some((one) => equals(item, one))
}

/** JavaScript finds more on its objects than is in them. */
const ownOrField = (value: object, name: string): boolean =>
  isRecordView(value)
    ? Object.hasOwn(Object.getPrototypeOf(value) as object, name)
    : Object.hasOwn(value, name)

/** The library takes the sum of a time span and a point in time for a time span. */
const addTimes = (node: Node): void => {
  if (node.op !== '+') return
  const { check } = metaOf(node)
  setMeta(node, 'check', (checker, self, scope) => {
    const type = check(checker, self, scope)
    const isPoint = node.args.some((one) => checkedTypeOf(one)?.name === timestampType)
    return isPoint ? checker.getType(timestampType) : type
  })
}

const timestampType = 'google.protobuf.Timestamp'

/** Integers, points in time and time spans have ends, of which the library does not see all. */
const keepInRange = (node: Node): void => {
  const { evaluate } = metaOf(node)
  setMeta(node, 'evaluate', (evaluator, self, scope) => {
    const value = evaluate(evaluator, self, scope)
    if (typeof value === 'bigint') {
      if (BigInt.asIntN(64, value) !== value) throw celError('numeric_overflow', 'integer overflow')
    } else if (value instanceof Date) {
      const time = value.getTime()
      if (!(time >= firstTime && time <= lastTime))
        throw celError('numeric_overflow', 'timestamp out of range')
    } else if (value instanceof Duration && (value.seconds > mostSeconds || value.seconds < -mostSeconds))
      throw celError('numeric_overflow', 'duration out of range')
    return value
  })
}

/** 64 bits of nanoseconds. */
const mostSeconds = 9_223_372_036n
