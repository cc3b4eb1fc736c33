/** Where the API server serves objects. */
export interface ApiResource {
  /** Empty for the core group. */
  readonly group: string
  readonly version: string
  readonly plural: string
}

/** The `apiVersion` of objects. */
export const apiVersionOf = ({ group, version }: ApiResource): string =>
  group === '' ? version : `${group}/${version}`

/** The path of a collection: of one namespace, or of all. */
export const collectionPath = (resource: ApiResource, namespace?: string): string => {
  const root = resource.group === '' ? `/api/${resource.version}` : `/apis/${apiVersionOf(resource)}`
  const within = namespace === undefined ? '' : `/namespaces/${encodeURIComponent(namespace)}`
  return `${root}${within}/${resource.plural}`
}

/** The path of an object, or of its `status`. */
export const objectPath = (
  resource: ApiResource,
  { namespace, name }: { readonly namespace?: string | undefined; readonly name: string },
  subresource?: 'status',
): string =>
  `${collectionPath(resource, namespace)}/${encodeURIComponent(name)}${subresource === undefined ? '' : `/${subresource}`}`
