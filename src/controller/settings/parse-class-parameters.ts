import { isJsonObject } from '../../protocols/json/json-object.ts'
import type { ClassParametersReference } from '../kinds/inputs.ts'

/** Parses a JSON object from names of GatewayClasses to references to their parameters. */
export const parseClassParameters = (
  text: string,
): { readonly value: ReadonlyMap<string, ClassParametersReference> } | { readonly expected: string } => {
  const expected =
    'a JSON object from names of GatewayClasses to {name, namespace}, with group and kind if they are others'
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { expected }
  }
  if (!isJsonObject(value)) return { expected }
  const references = Object.entries(value).map(([name, one]) => [name, referenceOf(one)] as const)
  return references.every(([, reference]) => reference)
    ? { value: new Map(references as readonly (readonly [string, ClassParametersReference])[]) }
    : { expected }
}

const referenceOf = (value: unknown): ClassParametersReference | undefined => {
  if (!isJsonObject(value)) return undefined
  const { group = 'agentgateway.dev', kind = 'ProxyParameters', name, namespace, ...others } = value
  if (Object.keys(others).length > 0 || !isName(name) || !isName(namespace)) return undefined
  return typeof group === 'string' && typeof kind === 'string' ? { group, kind, name, namespace } : undefined
}

const isName = (value: unknown): value is string => typeof value === 'string' && value !== ''
