import type { StructuralSchema } from '../../../src/controller/schema/field.ts'

/** A rule of a schema, with the paths of the fields that have it; `[]` is any item or key. */
export interface SchemaRule {
  readonly message: string
  readonly rule: string
  readonly paths: readonly string[]
}

/** The rules of a schema; equal ones are one. */
export const rulesOf = (schema: StructuralSchema): readonly SchemaRule[] => {
  const rules = new Map<string, SchemaRule>()
  const visit = (node: StructuralSchema, path: string): void => {
    for (const { message, rule } of node['x-kubernetes-validations'] ?? []) {
      const key = `${message}\0${rule}`
      rules.set(key, { message, rule, paths: [...(rules.get(key)?.paths ?? []), path] })
    }
    for (const [name, child] of Object.entries(node.properties ?? {}))
      visit(child, path === '' ? name : `${path}.${name}`)
    for (const child of [node.items, node.additionalProperties]) if (child) visit(child, `${path}[]`)
  }
  visit(schema, '')
  return [...rules.values()]
}

/** Whether a message of the API server says that a rule does not hold. */
export const isRejectedBy = ({ message, paths }: SchemaRule, failure: string): boolean =>
  paths.some((path) => {
    const pattern = path
      .split('[]')
      .map(literally)
      .join(String.raw`\[[^\]]*\]`)
    return new RegExp(`(^|[\\s\\[])${pattern}: Invalid value: .*${literally(message)}`).test(failure)
  })

const literally = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)

/** Whether an object has a value where a rule applies. */
export const concerns = ({ paths }: SchemaRule, object: unknown): boolean =>
  paths.some((path) => hasValue(object, path.replaceAll('[]', '.[]').split('.')))

const hasValue = (value: unknown, [name, ...rest]: readonly string[]): boolean => {
  if (value === undefined) return false
  if (name === undefined) return true
  if (typeof value !== 'object' || value === null) return false
  return name === '[]'
    ? Object.values(value).some((item) => hasValue(item, rest))
    : hasValue((value as Readonly<Record<string, unknown>>)[name], rest)
}
