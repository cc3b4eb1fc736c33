import { isJsonObject, jsonObjectOr } from '../../protocols/json/json-object.ts'
import { isNestedDeeper, withLevels } from '../../protocols/json/nested-levels.ts'
import { ApiFailure } from '../api/api-failure.ts'
import { apiVersionOf } from '../api/resource-path.ts'
import { type Kind, kinds, type Kinds } from '../kinds/kinds.ts'
import { podMetadata, podParts } from './pod-parts.ts'

/**
 * An object as the API server lists or sends it, made whole: items of lists come without kind and version, and metadata
 * come as a kind of their own. What is written by tools for themselves is left out: it is often larger than the object;
 * where it matters, who applied the status is kept.
 * Metadata of another type than usual are left out as well, so that whoever follows all objects need not look twice.
 */
export const readWatchedObject = <K extends Kind>(kind: K, value: unknown): Kinds[K] => {
  const metadata = metadataOf(value)
  if (typeof metadata?.name !== 'string')
    throw new ApiFailure(0, 'Malformed', `the API server sent an object of ${kind} without a name`)
  const { managedFields, labels, annotations, ownerReferences, ...kept } = metadata
  const { [LAST_APPLIED]: _lastApplied, ...keptAnnotations } = jsonObjectOr(annotations)
  const owners = Array.isArray(ownerReferences) ? ownerReferences.filter(isJsonObject) : []
  const managers = kinds[kind].isStatusManaged ? statusManagersOf(managedFields) : []
  const whole = {
    ...(kind === 'Pod' ? podParts(value) : withKeptData(kind, comparable(kind, value) as Data)),
    apiVersion: apiVersionOf(kinds[kind]),
    kind,
    metadata: {
      ...(kind === 'Pod' ? podMetadata(kept) : kept),
      ...(isJsonObject(labels) && { labels }),
      ...(kind !== 'Pod' && Object.keys(keptAnnotations).length > 0 && { annotations: keptAnnotations }),
      ...(kind !== 'Pod' && owners.length > 0 && { ownerReferences: owners }),
      ...(managers.length > 0 && { statusManagers: managers }),
    },
  }
  return whole as unknown as Kinds[K]
}

/**
 * Fields of our own kinds that may be of any shape may have as many levels as the API server takes, and objects of more
 * than some 1,500 could not even be compared. Translations refuse fields of half as many as are left.
 */
const comparable = (kind: Kind, value: unknown): unknown =>
  kinds[kind].group === 'agentgateway.dev' && isNestedDeeper(value, KEPT_LEVELS)
    ? withLevels(value, KEPT_LEVELS)
    : value

const KEPT_LEVELS = 200

/** A Secret or a ConfigMap with the values that the control plane may read. */
const withKeptData = (kind: Kind, value: Data): Data => {
  const { dataKeys, maxDataLength = 0 } = kinds[kind]
  if (dataKeys === undefined) return value
  const { data, binaryData, ...rest } = value
  const kept = (values: unknown) =>
    Object.fromEntries(
      Object.entries(jsonObjectOr(values)).filter(
        ([key, text]) => dataKeys.includes(key) || (typeof text === 'string' && text.length <= maxDataLength),
      ),
    )
  const values = data === undefined ? undefined : kept(data)
  const longKeys = Object.keys(jsonObjectOr(data)).filter((key) => !Object.hasOwn(values ?? {}, key))
  return {
    ...rest,
    ...(values && { data: values }),
    ...(binaryData !== undefined && { binaryData: kept(binaryData) }),
    ...(kind === 'Secret' && longKeys.length > 0 && { longKeys }),
  }
}

interface Data {
  readonly data?: unknown
  readonly binaryData?: unknown
}

/** The `resourceVersion` of an object, a list or a bookmark. */
export const resourceVersionOf = (value: unknown): string => {
  const version = metadataOf(value)?.resourceVersion
  if (typeof version === 'string' && version !== '') return version
  throw new ApiFailure(0, 'Malformed', 'the API server sent something without a resourceVersion')
}

const metadataOf = (value: unknown): WatchedMetadata | undefined =>
  (value as { readonly metadata?: WatchedMetadata } | null | undefined)?.metadata ?? undefined

const statusManagersOf = (managedFields: unknown): readonly string[] =>
  Array.isArray(managedFields)
    ? (managedFields as readonly ManagedFieldsEntry[]).flatMap(({ manager, operation, subresource }) =>
        operation === 'Apply' && subresource === 'status' && manager !== undefined ? [manager] : [],
      )
    : []

interface ManagedFieldsEntry {
  readonly manager?: string
  readonly operation?: string
  readonly subresource?: string
}

interface WatchedMetadata {
  readonly name?: unknown
  readonly resourceVersion?: unknown
  readonly managedFields?: unknown
  readonly labels?: unknown
  readonly annotations?: unknown
  readonly ownerReferences?: unknown
}

/** A copy of the object that `kubectl apply` keeps for itself. */
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration'
