import { type MacroLookup, macroOfCall, type Reads } from '../macros/macro.ts'
import { childrenOf, type Node } from './cel-js.ts'
import { variables } from '../variables.ts'

/**
 * The attributes that an expression reads, so that no others need to be buffered. May list more than is
 * read, never less.
 */
export interface AttributeReferences {
  /** Names of the variables. */
  readonly variables: ReadonlySet<string>
  /** Fields of them, such as `source.address`; `source.*` if any field may be read. */
  readonly fields: ReadonlySet<string>
  /** The fields that are used for more than a test of presence. */
  readonly used: ReadonlySet<string>
  /** The whole request body must be buffered. */
  readonly requestBody: boolean
  /** At least the beginning of the request body must be buffered. */
  readonly requestBodyPrefix: boolean
  readonly responseBody: boolean
  readonly responseBodyPrefix: boolean
}

/** The attributes that must be present for an expression with these reads. */
export const attributeReferencesOf = ({ variables: names, fields, used }: Reads): AttributeReferences => {
  const reads = (variable: string, field: string): boolean =>
    fields.has(`${variable}.${field}`) || fields.has(`${variable}.${anyField}`)
  return {
    variables: names,
    fields,
    used,
    requestBody: reads('request', 'body'),
    requestBodyPrefix: reads('request', 'bodyPrefix'),
    responseBody: reads('response', 'body'),
    responseBodyPrefix: reads('response', 'bodyPrefix'),
  }
}

/**
 * Collects the attributes that the expression with this tree reads.
 *
 * @param own Local names that hide variables in the whole expression.
 */
export const readsOf = (root: Node, findMacro: MacroLookup, own: ReadonlySet<string> = new Set()): Reads => {
  const roots = new Set<string>()
  const fields = new Set<string>()
  const used = new Set<string>()
  const test = (variable: string, field: string): void => {
    roots.add(variable)
    fields.add(`${variable}.${field}`)
  }
  const read = (variable: string, field: string): void => {
    test(variable, field)
    used.add(`${variable}.${field}`)
  }
  /** `bound`: local names that hide variables here. */
  const visit = (node: Node, bound: ReadonlySet<string>): void => {
    if (node.op === 'id') {
      if (!bound.has(node.args) && variableNames.has(node.args)) read(node.args, anyField)
      return
    }
    const field = fieldRead(node)
    if (field && !bound.has(field.variable) && variableNames.has(field.variable)) {
      read(field.variable, field.name)
      return
    }
    const tested = node.op === 'call' && node.args[0] === 'has' ? node.args[1][0] : undefined
    if (tested?.op === 'id') {
      if (!bound.has(tested.args)) roots.add(tested.args)
      return
    }
    const present = tested && fieldRead(tested)
    if (present && !bound.has(present.variable) && variableNames.has(present.variable)) {
      test(present.variable, present.name)
      return
    }
    if (node.op === 'call' && node.args[0] === 'variables' && node.args[1].length === 0)
      for (const name of variableNames) read(name, anyField)
    const macro = macroOfCall(node, findMacro)
    for (const name of macro?.reads?.variables ?? []) roots.add(name)
    for (const name of macro?.reads?.fields ?? []) fields.add(name)
    for (const name of macro?.reads?.used ?? []) used.add(name)
    if ((node.op === 'call' || node.op === 'rcall') && macro?.binds) {
      const args = node.op === 'call' ? node.args[1] : node.args[2]
      const [name, ...rest] = args
      if (node.op === 'rcall') visit(node.args[1], bound)
      const inner = name?.op === 'id' ? new Set([...bound, name.args]) : bound
      for (const arg of rest) visit(arg, inner)
      return
    }
    for (const child of childrenOf(node)) visit(child, bound)
  }
  visit(root, own)
  return { variables: roots, fields, used }
}

/** Stands for every field: the variable is used as a whole, or with a computed key. */
const anyField = '*'

const variableNames: ReadonlySet<string> = new Set(variables.map(({ name }) => name))

/** `variable.field` or `variable["field"]`. */
const fieldRead = (node: Node): { variable: string; name: string } | undefined => {
  if (node.op !== '.' && node.op !== '[]') return undefined
  const [owner] = node.args
  if (owner.op !== 'id') return undefined
  if (node.op === '.') return { variable: owner.args, name: node.args[1] }
  const [, key] = node.args
  return key.op === 'value' && typeof key.args === 'string'
    ? { variable: owner.args, name: key.args }
    : undefined
}
