import type { Evaluate } from '../../../model/exchange/expression.ts'
import type { Exchange } from '../../../model/exchange/exchange.ts'
import type { LlmMutation } from '../../../model/llm/llm-backend.ts'
import type { Members } from '../../../protocols/llm/members/members.ts'
import { aliasOf } from '../../../protocols/llm/models/model-patterns.ts'
import type { FieldExpression, MutateFields } from '../routing/provider-target.ts'

/**
 * The changes of a configuration to the fields of bodies: overrides, then the results of expressions, then defaults for
 * missing fields, then the model behind an alias. Undefined if there are none.
 */
export const fieldMutation = (
  { overrides, defaults, modelAliases }: LlmMutation,
  transformation: readonly FieldExpression[],
): MutateFields | undefined => {
  const set = Object.entries(overrides)
  const missing = Object.entries(defaults)
  const alias = modelAliases.length ? aliasOf(modelAliases) : undefined
  if (!set.length && !missing.length && !transformation.length && !alias) return undefined
  return (body, x) => {
    for (const [name, value] of set) body.set(name, value)
    if (transformation.length) transformFields(body, transformation, x)
    for (const [name, value] of missing) if (!body.has(name)) body.set(name, value)
    const model = alias && body.get('model')
    const target = typeof model === 'string' ? alias?.(model) : undefined
    if (target !== undefined) body.set('model', target)
  }
}

/** Sets each field to the value of its expression. One that fails, or is null, removes the field. */
export const transformFields = (body: Members, fields: readonly FieldExpression[], x: Exchange): void => {
  for (const [name, expression] of fields) {
    const value = valueOf(expression, x)
    if (value === null || value === undefined) body.delete(name)
    else body.set(name, value)
  }
}

const valueOf = (expression: Evaluate, x: Exchange): unknown => {
  const result = expression(x)
  return 'value' in result ? asJson(result.value) : undefined
}

/** Integers of expressions are bigint, which JSON does not support. */
const asJson = (value: unknown): unknown => {
  if (typeof value === 'bigint') return Number(value)
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64')
  if (value instanceof Map)
    return Object.fromEntries([...value].map(([name, one]) => [String(name), asJson(one)]))
  if (Array.isArray(value)) return value.map(asJson)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, asJson(one)]))
}
