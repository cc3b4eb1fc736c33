import { CelError, positionAt } from '../engine/compile-error.ts'
import { limits } from '../limits.ts'
import { bodyEnd, skipCelBlank } from '../values/text-scan.ts'

/** A definition: `name(a, b) { expression }`. */
export interface FunctionDefinition {
  readonly name: string
  /** Written as `this.name(…)`: called as `receiver.name(…)`, and `this` is the receiver. */
  readonly method: boolean
  /** Names of its parameters; for a method, `this` comes first. */
  readonly parameters: readonly string[]
  /** The last parameter is a list of all further arguments. */
  readonly variadic: boolean
  /**
   * The body, after blanks that replace everything before it: offsets in it are offsets in the whole text.
   */
  readonly body: string
  /** The offset of its name. */
  readonly offset: number
}

/**
 * Parses definitions, one after the other. `//` begins a comment to the end of the line.
 *
 * @throws {CelError} with the position of the mistake.
 */
export const readDefinitions = (text: string): readonly FunctionDefinition[] => {
  if (text.length > limits.definitionChars)
    throw wrong(text, 0, `definitions may have ${limits.definitionChars} characters, not ${text.length}`)
  const definitions: FunctionDefinition[] = []
  for (let at = skipCelBlank(text, 0); at < text.length;) {
    const { definition, end } = readDefinition(text, at)
    definitions.push(definition)
    at = skipCelBlank(text, end)
  }
  return definitions
}

const readDefinition = (text: string, start: number): { definition: FunctionDefinition; end: number } => {
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
  if (skipCelBlank(expression, 0) === expression.length)
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
    const position = at + part.indexOf(written)
    const [, name, dots] = /^([A-Za-z_]\w*)(\s*\.\.\.)?$/.exec(written) ?? []
    if (name === undefined) throw wrong(text, position, 'a name is expected here', 'such as: name(a, b...)')
    if (dots !== undefined && index < parts.length - 1)
      throw wrong(text, position, `only the last parameter may take all further arguments`)
    if (reserved.has(name)) throw wrong(text, position, `"${name}" cannot be the name of a parameter`)
    if (names.includes(name)) throw wrong(text, position, `two parameters are called "${name}"`)
    names.push(name)
    at += part.length + 1
  }
  if (names.length > limits.callArguments)
    throw wrong(text, offset, `a function may have ${limits.callArguments} parameters, not ${names.length}`)
  return { names, variadic: list.trimEnd().endsWith('...') }
}

/** `this.name(parameters) {`, from `lastIndex` on. */
const head = /(this\s*\.\s*)?([A-Za-z_]\w*)\s*\(([^(){}]*)\)\s*\{/y

/** Words with another meaning in expressions, or reserved by CEL. */
const reserved: ReadonlySet<string> = new Set(
  'this true false null in as break const continue else for function if import let loop package namespace return var void while __proto__ prototype'.split(
    ' ',
  ),
)

const wrong = (text: string, offset: number, problem: string, hint?: string): CelError =>
  new CelError(problem, positionAt(text, offset), hint)
