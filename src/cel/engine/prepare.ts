import { foldConstant } from './constants.ts'
import { prepareAccess } from './direct-read.ts'
import { mendLiteral } from './literals.ts'
import { commonType, type Expansion, type Form, type FormLookup, type Preparation } from './forms/form.ts'
import { replacedFunctions } from './functions/functions.ts'
import {
  becomeMacro,
  type Checker,
  childrenOf,
  metaOf,
  type Node,
  renameCall,
  type Scope,
  setMeta,
} from './library.ts'
import { chargeFor } from './meter.ts'
import { mendOperator } from './operators.ts'

/**
 * Readies a parsed tree for the check: calls of forms become ours, member accesses too. What calls and `+` make is charged
 * for, since it may be made larger and larger; and if the expression can loop or name a value, so is every value that it
 * reads. Without either, each node runs once, and the sizes of the inputs bound the work.
 *
 * @param repeats It is part of an expression that repeats things.
 */
export const prepare = (root: Node, preparation: Preparation, repeats = false): void => {
  const nodes = [...nodesOf(root)]
  preparation.spend(nodes.length)
  const charges = repeats || nodes.some((node) => isRepeating(formOfCall(node, preparation.formOf)))
  for (const node of nodes) {
    if (node.op === '.' || node.op === '[]') prepareAccess(node)
    else if (node.op === '?:') allowMixedBranches(node)
    else if (node.op === 'call' || node.op === 'rcall') resolveCall(node, preparation)
    else if (node.op === 'map' || node.op === 'value') mendLiteral(node)
    else mendOperator(node)
    if (growing.has(node.op) || (charges && charged.has(node.op))) chargeForResult(node)
  }
}

/** A node and all below it. Iterative: the tree of a long chain is deeper than the stack. */
export function* nodesOf(root: Node): Generator<Node> {
  const pending = [root]
  for (let node = pending.pop(); node; node = pending.pop()) {
    yield node
    pending.push(...childrenOf(node))
  }
}

/** The form that a node calls, if any. */
export const formOfCall = (node: Node, formOf: FormLookup): Form | undefined => {
  if (node.op === 'call') return formOf(node.args[0], false, node.args[1].length)
  if (node.op === 'rcall') return formOf(node.args[0], true, node.args[2].length)
  return undefined
}

const isRepeating = (form: Form | undefined): boolean => form?.binds === true || form?.repeats === true

/** Operators that may make something larger, and larger again: charged for always. */
const growing: ReadonlySet<string> = new Set(['call', 'rcall', '+'])

/** Operators whose values may be large. */
const charged: ReadonlySet<string> = new Set(['id', '.', '[]'])

const resolveCall = (node: Node & { op: 'call' | 'rcall' }, preparation: Preparation): void => {
  const args = node.op === 'call' ? node.args[1] : node.args[2]
  const form = formOfCall(node, preparation.formOf)
  if (form) {
    const receiver = node.op === 'rcall' ? node.args[1] : undefined
    becomeMacro(node, macroOf(form.expand({ node, receiver, args }, preparation)))
    return
  }
  foldConstant(node)
  const replacement = replacedFunctions.get(`${node.op} ${node.args[0]} ${args.length}`)
  if (replacement !== undefined) renameCall(node, replacement)
}

const macroOf = (expansion: Expansion) => ({
  typeCheck: (checker: Checker, _macro: unknown, scope: Scope) => expansion.check(checker, scope),
  evaluate: (evaluator: Parameters<Expansion['evaluate']>[0], _macro: unknown, scope: Scope) =>
    expansion.evaluate(evaluator, scope),
})

/** `found ? value : null` is as useful as it is untyped. */
const allowMixedBranches = (node: Node & { op: '?:' }): void => {
  const { check } = metaOf(node)
  setMeta(node, 'check', (checker, self, scope) => {
    try {
      return check(checker, self, scope)
    } catch (error) {
      if ((error as { code?: unknown }).code !== 'incompatible_ternary_branches') throw error
      return commonType(checker, checker.check(node.args[1], scope), checker.check(node.args[2], scope))
    }
  })
}

const chargeForResult = (node: Node): void => {
  const { macro, evaluate } = metaOf(node)
  if (macro) setMeta(node, 'macro', { ...macro, evaluate: (...args) => chargeFor(macro.evaluate(...args)) })
  else setMeta(node, 'evaluate', (...args) => chargeFor(evaluate(...args)))
}
