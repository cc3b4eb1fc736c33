/** A resource of a cluster as arguments name it. */
export interface ResourceReference {
  /** As written, for messages. */
  readonly text: string
  readonly type: string
  /** The type is the default. */
  readonly hasNoType: boolean
  readonly name: string
  readonly namespace?: string
}

/** Parses `[type/]name[.namespace]`. Without a type it is a pod; undefined if it is no such text. */
export const parseResourceReference = (text: string): ResourceReference | undefined => {
  const match = /^(?:([^/]*)\/)?([^/]+)$/.exec(text)
  const [, type, path = ''] = match ?? []
  const dot = path.lastIndexOf('.')
  const name = dot === -1 ? path : path.slice(0, dot)
  const namespace = dot === -1 ? undefined : path.slice(dot + 1)
  if (type === '' || !isLabel(name) || (namespace !== undefined && !isLabel(namespace))) return undefined
  return {
    text,
    type: type?.toLowerCase() ?? 'pod',
    hasNoType: type === undefined,
    name,
    ...(namespace !== undefined && { namespace }),
  }
}

/** Names of Kubernetes; anything else must not become a part of a path. */
const isLabel = (text: string): boolean => /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(text)
