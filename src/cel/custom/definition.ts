import { CelError, positionAt } from '../cel-error.ts'
import { limits } from '../limits.ts'
import { bodyEnd, skipBlank } from '../text-scan.ts'

/** A function as it was written: `name(a, b) { expression }`. */
export interface Definition {
  readonly name: string
  /** Written `this.name(…)`: it is called as `receiver.name(…)`, and `this` is the receiver. */
  readonly method: boolean
  /** Names of its parameters; for a method, `this` comes first. */
  readonly parameters: readonly string[]
  /** The last parameter is a list of all further arguments. */
  readonly variadic: boolean
  /** Its body, in front of which everything is blank: places in it are places in the whole text. */
  readonly body: string
  /** Where its name stands. */
  readonly offset: number
}

/**
 * Reads definitions, one after the other; what follows `//` on a line is left out.
 *
 * @throws {CelError} with the place of what is wrong.
 */
export const readDefinitions = (text: string): readonly Definition[] => {
  if (text.length > limits.definitionChars)
    throw wrong(text, 0, `definitions may have ${limits.definitionChars} characters, not ${text.length}`)
  const definitions: Definition[] = []
  for (let at = skipBlank(text, 0); at < text.length;) {
    const { definition, end } = readDefinition(text, at)
    definitions.push(definition)
    at = skipBlank(text, end)
  }
  return definitions
}

const readDefinition = (text: string, start: number): { definition: Definition; end: number } => {
  head.lastIndex = start
  const found = head.exec(text)
  if (!found) throw wrong(text, start, 'a definition is expected here', 'such as: name(a, b) { a == b }')
  const [all, receiver, name = '', list = ''] = found
  const offset = start + all.indexOf(name, receiver?.length ?? 0)
  if (reserved.has(name)) throw wrong(text, offset, `"${name}" cannot be the name of a function`)
  const method = receiver !== undefined
  const listOffset = start + all.indexOf('(') + 1
  const { names, variadic } = readParameters(text, list, listOffset)
  const opening = start + all.length - 1
  const closing = bodyEnd(text, opening)
  if (closing === undefined) throw wrong(text, opening, `the body of "${name}" has no end`, 'it ends with }')
  const expression = text.slice(opening + 1, closing)
  if (skipBlank(expression, 0) === expression.length)
    throw wrong(text, closing, `the body of "${name}" is empty`)
  const before = text.slice(0, opening + 1).replace(/[^\n]/g, ' ')
  const parameters = method ? ['this', ...names] : names
  return {
    definition: { name, method, parameters, variadic, body: before + expression, offset },
    end: closing + 1,
  }
}

const readParameters = (
  text: string,
  list: string,
  offset: number,
): { names: readonly string[]; variadic: boolean } => {
  if (list.trim() === '') return { names: [], variadic: false }
  const names: string[] = []
  let at = offset
  const parts = list.split(',')
  for (const [index, part] of parts.entries()) {
    const written = part.trim()
    const place = at + part.indexOf(written)
    const [, name, dots] = /^([A-Za-z_]\w*)(\s*\.\.\.)?$/.exec(written) ?? []
    if (name === undefined) throw wrong(text, place, 'a name is expected here', 'such as: name(a, b...)')
    if (dots !== undefined && index < parts.length - 1)
      throw wrong(text, place, `only the last parameter may take all further arguments`)
    if (reserved.has(name)) throw wrong(text, place, `"${name}" cannot be the name of a parameter`)
    if (names.includes(name)) throw wrong(text, place, `two parameters are called "${name}"`)
    names.push(name)
    at += part.length + 1
  }
  if (names.length > limits.callArguments)
    throw wrong(text, offset, `a function may have ${limits.callArguments} parameters, not ${names.length}`)
  return { names, variadic: list.trimEnd().endsWith('...') }
}

/** `this.name(parameters) {`, from where the search begins. */
const head = /(this\s*\.\s*)?([A-Za-z_]\w*)\s*\(([^(){}]*)\)\s*\{/y

/** Words that mean something else, or nothing yet, in expressions. */
const reserved: ReadonlySet<string> = new Set(
  'this true false null in as break const continue else for function if import let loop package namespace return var void while __proto__ prototype'.split(
    ' ',
  ),
)

const wrong = (text: string, offset: number, problem: string, hint?: string): CelError =>
  new CelError(problem, positionAt(text, offset), hint)
