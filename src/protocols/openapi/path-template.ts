import { normalizeTarget } from '../http/path.ts'
import { ConversionError, quoted } from './conversion-error.ts'
import type { ParameterPlan } from './open-api-tool.ts'

/** Parses a path with `{name}`s: literal texts, and the plans of the parameters between them. */
export const readTemplate = (
  template: string,
  parameters: ReadonlyMap<string, ParameterPlan>,
): readonly (string | ParameterPlan)[] => {
  const parts = template.split(/\{([^{}]*)\}/).map((part, i) => {
    if (i % 2 === 0) return literal(part)
    const plan = parameters.get(part)
    if (!plan) throw new ConversionError(`does not describe the parameter ${quoted(part)} of its path`)
    return plan
  })
  const sample = parts.map((part) => (typeof part === 'string' ? part : 'x')).join('')
  const normal = normalizeTarget(sample, { encodedSlashes: 'refuse', mergeSlashes: false })
  if (typeof normal === 'string' || normal.target !== sample || normal.query !== '')
    throw new ConversionError('has a path that is none')
  return parts.filter((part) => part !== '')
}

/** Escapes characters that are invalid in a path. Existing escapes are kept. */
const literal = (text: string): string => {
  if (/[{}?#]/.test(text) || !text.isWellFormed()) throw new ConversionError('has a path that is none')
  return encodeURI(text).replaceAll('%25', '%').replaceAll('[', '%5B').replaceAll(']', '%5D')
}
