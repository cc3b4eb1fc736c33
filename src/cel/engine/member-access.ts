import { EvaluationError } from '@marcbachmann/cel-js'
import { isCallerMap, refuseOtherCase } from '../values/caller-map.ts'
import { keyOf } from './equality.ts'
import { HeadersView, refuseRepeated } from '../context/headers-view.ts'
import type { Evaluator, Node, Scope } from './cel-js.ts'
import { isRecordView } from '../context/record.ts'
import { isPlainObject } from '../values/values.ts'

/** The member of a value with a name or an index; undefined if there is none. */
export const memberOf = (evaluator: Evaluator, value: unknown, key: unknown, node: Node): unknown => {
  if (typeof key === 'object') refuseRepeated(key)
  if (value instanceof HeadersView) return value.get(key)
  if (value instanceof Map) {
    if (isCallerMap(value)) refuseOtherCase(value, key)
    return (value as Map<unknown, unknown>).get(keyOf(key))
  }
  if (Array.isArray(value)) {
    const index = keyOf(key)
    return typeof index === 'bigint' ? (value[Number(index)] as unknown) : undefined
  }
  if (typeof value !== 'object' || value === null) return undefined
  if (isRecordView(value)) return evaluator.debugType(value).fieldLazy(value, key, node, evaluator)
  // Not the properties that JavaScript adds to its own objects: a timestamp has no `constructor`.
  return isPlainObject(value) && Object.hasOwn(value, String(key)) ? value[String(key)] : undefined
}

/**
 * Evaluates `a.b` and `a[b]`.
 *
 * Replaces the library's own evaluation, which cannot distinguish a header from a method of the object, and
 * creates a new error with a stack and a drawing for each missing key: 1.0 µs for a comparison of an absent
 * header, not 6.3.
 */
export const evaluateAccess = (evaluator: Evaluator, node: Node, scope: Scope): unknown => {
  if (node.op !== '.' && node.op !== '[]') throw new TypeError('not an access')
  const left = evaluator.run(node.args[0], scope)
  const key = node.op === '.' ? node.args[1] : evaluator.run(node.args[1], scope)
  const value = memberOf(evaluator, left, key, node)
  if (value === undefined) throw missing(node, key)
  return value
}

/** The error of a constant key never changes, so that each node needs one only. */
const missingAt = new WeakMap<Node, EvaluationError>()

const missing = (node: Node & { op: '.' | '[]' }, key: unknown): EvaluationError => {
  const constant = node.op === '.' || node.args[1].op === 'value'
  const known = constant ? missingAt.get(node) : undefined
  if (known) return known
  const error = new EvaluationError({ code: 'no_such_key', message: `no such key: ${String(key)}`, node })
  if (constant) missingAt.set(node, error)
  return error
}
