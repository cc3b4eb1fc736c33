import type { StructuralSchema } from '../../../src/controller/schema/field.ts'
import type { HostileChoices } from './hostile-choices.ts'

/** Values of each field of a schema, by its path. */
export type FieldValues = ReadonlyMap<string, readonly unknown[]>

/** Collects the values that examples have of each field. */
export const fieldValues = (schema: StructuralSchema, examples: readonly unknown[]): FieldValues => {
  const values = new Map<string, Map<string, unknown>>()
  const visit = (node: StructuralSchema, value: unknown, path: string): void => {
    const known = values.get(path) ?? new Map<string, unknown>()
    values.set(path, known.set(JSON.stringify(value), value))
    if (!isObject(value)) return
    for (const [name, child] of Object.entries(node.properties ?? {}))
      if (Object.hasOwn(value, name)) visit(child, (value as Fields)[name], `${path}.${name}`)
    const inner = innerOf(node)
    if (inner) for (const item of Object.values(value)) visit(inner, item, `${path}[]`)
  }
  for (const example of examples) visit(schema, example, '')
  return new Map([...values].map(([path, known]) => [path, [...known.values()]]))
}

/**
 * A variant of a value that has the shape of the schema: fields are left out, or taken from other examples, enums have
 * other members, and numbers are at their limits. Rules of the schema need not hold.
 */
export const combination = (
  schema: StructuralSchema,
  value: unknown,
  values: FieldValues,
  choices: HostileChoices,
): unknown => {
  const { pick } = choices
  const isOne = (of: number): boolean => pick(...Array(of).keys()) === 0
  const other = (path: string): unknown => pick(...(values.get(path) ?? [undefined]))
  const varied = (node: StructuralSchema, given: unknown, path: string): unknown => {
    if (isObject(given) && node.properties) return fieldsOf(node, given as Fields, path)
    const inner = innerOf(node)
    if (Array.isArray(given) && inner) {
      const items = given.map((item: unknown) => varied(inner, item, `${path}[]`))
      return isOne(6) ? [...items, varied(inner, other(`${path}[]`), `${path}[]`)].slice(0, 8) : items
    }
    if (isObject(given) && inner)
      return Object.fromEntries(
        Object.entries(given).map(([name, item]) => [name, varied(inner, item, `${path}[]`)]),
      )
    return scalar(node, given, path)
  }
  const fieldsOf = (node: StructuralSchema, given: Fields, path: string): Fields =>
    Object.fromEntries(
      Object.entries(node.properties ?? {}).flatMap(([name, child]) => {
        const at = `${path}.${name}`
        const isThere = Object.hasOwn(given, name)
        const isRequired = node.required?.includes(name) === true
        if (isThere ? !isRequired && isOne(8) : !values.has(at) || !isOne(10)) return []
        return [[name, varied(child, isThere && !isOne(8) ? given[name] : other(at), at)]]
      }),
    )
  const scalar = (node: StructuralSchema, given: unknown, path: string): unknown => {
    if (Array.isArray(node.enum)) return isOne(3) ? pick(...(node.enum as readonly unknown[])) : given
    if (typeof given === 'boolean') return isOne(4) ? !given : given
    if (typeof given === 'number')
      return isOne(4) ? pick(node.minimum ?? given, node.maximum ?? given) : given
    return isOne(4) && values.has(path) ? other(path) : given
  }
  return varied(schema, value, '')
}

type Fields = Readonly<Record<string, unknown>>

const innerOf = ({ items, additionalProperties }: StructuralSchema): StructuralSchema | undefined =>
  [items, additionalProperties].find((one) => typeof one === 'object')

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null
