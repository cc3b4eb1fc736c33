import type * as File from '../../../config/schema/file-types.gen.ts'
import type { ResourcePrecedence } from '../../../model/resources/resource-precedence.ts'

/** The field `precedence` of routes and policies. */
export function resourcePrecedence(source: File.ResourcePrecedence): ResourcePrecedence {
  const { createdAt, namespace, name, rule, match } = source
  return { createdAt: new Date(createdAt).toISOString(), namespace, name, rule: rule ?? 0, match: match ?? 0 }
}
