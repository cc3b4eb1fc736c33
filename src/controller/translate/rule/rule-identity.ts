import type * as File from '../../../config/schema/file-types.gen.ts'
import type { KubernetesObject } from '../../kinds/object.ts'

/** The names of a rule, and what decides its precedence among rules of other routes. */
export const ruleIdentity = (
  { metadata }: KubernetesObject,
  ruleName: string | undefined,
  index: number,
): Pick<File.TcpRoute, 'name' | 'namespace' | 'ruleName' | 'precedence'> => {
  const { name, namespace = '', creationTimestamp = EPOCH } = metadata
  return {
    name,
    namespace,
    ...(ruleName === undefined ? {} : { ruleName }),
    precedence: { createdAt: creationTimestamp, namespace, name, rule: index },
  }
}

const EPOCH = '1970-01-01T00:00:00Z'
