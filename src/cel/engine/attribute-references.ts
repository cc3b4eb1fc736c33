import type { FormLookup } from './forms/form.ts'
import { childrenOf, type Node } from './library.ts'
import { formOfCall } from './prepare.ts'
import { variables } from './variables.ts'

/** What an expression reads, so that nothing else has to be kept at hand for it. May say more than is read, never less. */
export interface Needs {
  /** Names of the variables. */
  readonly variables: ReadonlySet<string>
  /** Fields of them, such as `source.address`; `source.*` where it is not said which. */
  readonly fields: ReadonlySet<string>
  /** The whole request body must be buffered. */
  readonly requestBody: boolean
  /** At least the beginning of the request body must be kept. */
  readonly requestBodyPrefix: boolean
  readonly responseBody: boolean
  readonly responseBodyPrefix: boolean
}

/** Variables, and fields of them (`request.body`, `request.*`), that are read. */
export interface Reads {
  readonly variables: ReadonlySet<string>
  readonly fields: ReadonlySet<string>
}

/** What must be at hand for something that reads these. */
export const needsOf = ({ variables: names, fields }: Reads): Needs => {
  const reads = (variable: string, field: string): boolean =>
    fields.has(`${variable}.${field}`) || fields.has(`${variable}.${anyField}`)
  return {
    variables: names,
    fields,
    requestBody: reads('request', 'body'),
    requestBodyPrefix: reads('request', 'bodyPrefix'),
    responseBody: reads('response', 'body'),
    responseBodyPrefix: reads('response', 'bodyPrefix'),
  }
}

/**
 * Finds out what the expression with this tree reads.
 *
 * @param own Names that stand for something else in all of it.
 */
export const readsOf = (root: Node, formOf: FormLookup, own: ReadonlySet<string> = new Set()): Reads => {
  const roots = new Set<string>()
  const fields = new Set<string>()
  const read = (variable: string, field: string): void => {
    roots.add(variable)
    fields.add(`${variable}.${field}`)
  }
  /** `bound`: names that stand for something else here. */
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
    if (node.op === 'call' && node.args[0] === 'has' && node.args[1][0]?.op === 'id') {
      if (!bound.has(node.args[1][0].args)) roots.add(node.args[1][0].args)
      return
    }
    if (node.op === 'call' && node.args[0] === 'variables' && node.args[1].length === 0)
      for (const name of variableNames) read(name, anyField)
    const form = formOfCall(node, formOf)
    for (const name of form?.reads?.variables ?? []) roots.add(name)
    for (const name of form?.reads?.fields ?? []) fields.add(name)
    if ((node.op === 'call' || node.op === 'rcall') && form?.binds) {
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
  return { variables: roots, fields }
}

/** Stands for every field: the variable is used as a whole, or by a computed key. */
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
