/** How a field is merged. */
interface Field {
  readonly type?: string
  readonly strategy?: string
  readonly mergeKey?: string
}

/** Fields by the names of types. */
export type MergeTable = Readonly<Record<string, Readonly<Record<string, Field>>>>

/** The part of an OpenAPI document that says how objects are merged. */
export interface OpenApi {
  readonly definitions: Readonly<Record<string, Schema>>
}

interface Schema {
  readonly $ref?: string
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: Schema | boolean
  readonly 'x-kubernetes-patch-strategy'?: string
  readonly 'x-kubernetes-patch-merge-key'?: string
}

/** The kinds that overlays may change. */
const kinds = [
  'io.k8s.api.apps.v1.Deployment',
  'io.k8s.api.apps.v1.DaemonSet',
  'io.k8s.api.core.v1.Service',
  'io.k8s.api.core.v1.ServiceAccount',
  'io.k8s.api.policy.v1.PodDisruptionBudget',
  'io.k8s.api.autoscaling.v2.HorizontalPodAutoscaler',
]

/**
 * How objects of these kinds are merged, by `/openapi/v2`. Fields are left out that are merged like any other: objects by
 * their fields, lists as a whole.
 */
export const mergeTableOf = ({ definitions }: OpenApi): MergeTable => {
  const reachable = reachableFrom(kinds, definitions)
  let relevant = new Map<string, Readonly<Record<string, Field>>>()
  for (;;) {
    const next = new Map(
      [...reachable].flatMap((name) => {
        const fields = fieldsOf(name, definitions, (type) => kinds.includes(type) || relevant.has(type))
        return Object.keys(fields).length > 0 || kinds.includes(name) ? [[name, fields] as const] : []
      }),
    )
    const isDone = next.size === relevant.size
    relevant = next
    if (isDone) break
  }
  const entries = [...relevant].map(([name, fields]) => [shortName(name), fields] as const)
  if (new Set(entries.map(([name]) => name)).size !== entries.length)
    throw new Error('two types have the same name')
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)))
}

const reachableFrom = (
  roots: readonly string[],
  definitions: OpenApi['definitions'],
): ReadonlySet<string> => {
  const known = new Set<string>()
  const pending = [...roots]
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    if (known.has(name)) continue
    known.add(name)
    for (const [, schema] of propertiesOf(name, definitions)) pending.push(...typesOf(schema))
  }
  return known
}

const fieldsOf = (
  name: string,
  definitions: OpenApi['definitions'],
  isRelevant: (type: string) => boolean,
): Readonly<Record<string, Field>> =>
  Object.fromEntries(
    propertiesOf(name, definitions).flatMap(([field, schema]) => {
      const [type] = typesOf(schema).filter(isRelevant)
      const mergeKey = schema['x-kubernetes-patch-merge-key']
      // `retainKeys` is for those who make patches.
      const strategy = schema['x-kubernetes-patch-strategy']?.split(',').find((one) => one !== 'retainKeys')
      if (type === undefined && mergeKey === undefined && strategy === undefined) return []
      return [
        [
          field,
          {
            ...(type !== undefined && { type: shortName(type) }),
            ...(strategy !== undefined && { strategy }),
            ...(mergeKey !== undefined && { mergeKey }),
          },
        ],
      ]
    }),
  )

/** Statuses are no one's to patch. */
const propertiesOf = (name: string, definitions: OpenApi['definitions']) =>
  Object.entries(definitions[name]?.properties ?? {})
    .filter(([field]) => !(kinds.includes(name) && field === 'status'))
    .sort(([a], [b]) => (a < b ? -1 : 1))

const typesOf = ({ $ref, items, additionalProperties }: Schema): readonly string[] => [
  ...($ref === undefined ? [] : [$ref.slice('#/definitions/'.length)]),
  ...(items ? typesOf(items) : []),
  ...(typeof additionalProperties === 'object' ? typesOf(additionalProperties) : []),
]

const shortName = (name: string): string => name.slice(name.lastIndexOf('.') + 1)
