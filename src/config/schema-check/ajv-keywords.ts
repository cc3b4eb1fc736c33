import type { Ajv2020, ErrorObject } from 'ajv/dist/2020.js'
import type { SchemaValidateFunction } from 'ajv/dist/types/index.js'

/** Registers the custom keywords of the schema. Warnings are reported as errors; `explain` separates them. */
export function addKeywords(ajv: Ajv2020): void {
  ajv.addKeyword({ keyword: 'x-ours' })
  ajv.removeKeyword('deprecated')
  add(ajv, 'deprecated', undefined, (on, _, { description }) => (on === true ? { description } : undefined))
  add(ajv, 'x-status', undefined, (status) => ({ status }))
  add(ajv, 'x-notSupportedYet', 'string', (words, data) =>
    (words as readonly unknown[]).includes(data) ? {} : undefined,
  )
  add(ajv, 'x-exactlyOne', 'object', (names, data) => {
    const present = among(names as readonly string[], data)
    return present.length === 1 ? undefined : { present, names }
  })
  add(ajv, 'x-within', 'object', (value, data) => {
    const { list, names } = value as { readonly list: string; readonly names: readonly string[] }
    const present = among(names, data)
    return present.length === 0 ? undefined : { list, present }
  })
  add(ajv, 'x-atMostOneOf', 'object', (groups, data) => {
    for (const names of groups as readonly (readonly string[])[]) {
      const present = among(names, data)
      if (present.length > 1) return { present, names }
    }
    return undefined
  })
}

/** Returns the parameters of an error; undefined if the value is valid. */
type Test = (
  value: unknown,
  data: unknown,
  parent: Readonly<Record<string, unknown>>,
) => Record<string, unknown> | undefined

function add(ajv: Ajv2020, keyword: string, type: 'object' | 'string' | undefined, test: Test): void {
  const validate: SchemaValidateFunction = (value: unknown, data: unknown, parent) => {
    const params = test(value, data, parent ?? {})
    if (params === undefined) return true
    validate.errors = [{ keyword, params } as Partial<ErrorObject>]
    return false
  }
  ajv.addKeyword({ keyword, errors: true, validate, ...(type === undefined ? {} : { type }) })
}

function among(names: readonly string[], data: unknown): readonly string[] {
  const object = data as Record<string, unknown>
  return names.filter((name) => Object.hasOwn(object, name))
}
