import type { AuditEvent } from './audit.ts'

/** A rule of a Role or a ClusterRole. */
export interface RoleRule {
  readonly apiGroups: readonly string[]
  readonly resources: readonly string[]
  readonly verbs: readonly string[]
}

/** What requests have shown of a role. */
export interface RoleUse {
  /** Requests that were refused for want of a permission: all that they say. */
  readonly refused: readonly string[]
  /** Permissions that no request needed, such as `patch events`. */
  readonly unused: readonly string[]
}

/** Permissions one by one: `patch gateways/status.gateway.networking.k8s.io`. */
export const permissionsOf = (rules: readonly RoleRule[]): ReadonlySet<string> =>
  new Set(
    rules.flatMap(({ apiGroups, resources, verbs }) =>
      apiGroups.flatMap((group) =>
        resources.flatMap((resource) => verbs.map((verb) => permission(verb, resource, group))),
      ),
    ),
  )

/** Compares what is granted with requests to the API server. */
export const roleUse = (rules: readonly RoleRule[], events: readonly AuditEvent[]): RoleUse => {
  const used = new Set(events.flatMap(permissionsNeeded))
  return {
    refused: [
      ...new Set(events.filter(isRefused).map((event) => event.responseStatus?.message ?? event.requestURI)),
    ],
    unused: [...permissionsOf(rules)].filter((one) => !used.has(one)),
  }
}

/** Server-side apply of an object that does not exist needs both. */
const permissionsNeeded = ({ verb, objectRef, responseStatus }: AuditEvent): readonly string[] => {
  if (objectRef?.resource === undefined) return []
  const { resource, subresource, apiGroup = '' } = objectRef
  const name = subresource === undefined ? resource : `${resource}/${subresource}`
  const verbs = verb === 'patch' && responseStatus?.code === 201 ? [verb, 'create'] : [verb]
  return verbs.map((each) => permission(each, name, apiGroup))
}

/** Forbidden is also what a namespace allows nobody, such as new objects while it is being deleted. */
const isRefused = ({ responseStatus: { code, message = '' } = {} }: AuditEvent): boolean =>
  code === 403 && (message === '' || /\bUser "[^"]*" cannot /.test(message))

const permission = (verb: string, resource: string, group: string): string =>
  `${verb} ${resource}${group && `.${group}`}`
