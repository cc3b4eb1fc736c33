import { normalizeTarget } from '../../http/path.ts'
import type { JsonObject } from '../../json-rpc/message.ts'
import type { ParameterPlan } from '../open-api-tool.ts'
import { own } from '../own-property.ts'
import { InvalidArgument } from './invalid-argument.ts'
import { listValue } from './value.ts'

/**
 * Fills in the parameters of a path. The path always has the segments of its template: a slash in a value is
 * escaped, and a value that a server might read as a dot segment is refused, as is an empty one.
 */
export const pathOf = (parts: readonly (string | ParameterPlan)[], values: JsonObject): string => {
  const path = parts
    .map((part) => (typeof part === 'string' ? part : filled(part, own(values, part.argument))))
    .join('')
  const normal = normalizeTarget(path, { encodedSlashes: 'keep', mergeSlashes: false })
  if (typeof normal === 'string' || normal.target !== path)
    throw new InvalidArgument('a path parameter contains what may not stand in a path')
  return path
}

const filled = (plan: ParameterPlan, value: unknown): string => {
  const text = value === undefined || value === null ? '' : listValue(plan, value, encodeURIComponent)
  if (text === '') throw new InvalidArgument(`path.${plan.argument} must not be empty`)
  // Some servers decode before they split the path, and some read `..;` as `..`.
  if (
    decodeURIComponent(text)
      .split(/[/\\]/)
      .some((step) => /^\.{1,2}($|;)/.test(step))
  )
    throw new InvalidArgument(`path.${plan.argument} must not be a step to another path`)
  if (plan.style === 'label') return `.${text}`
  if (plan.style === 'matrix')
    return text.includes('=') && plan.explode ? `;${text}` : `;${plan.name}=${text}`
  return text
}
