import type { Kind } from '../../kinds/kinds.ts'
import type { KubernetesObject } from '../../kinds/object.ts'
import { sharedEntries } from './merge-status.ts'
import type { CurrentStatus } from './object-status.ts'

/** Whether the status of an object has something of a controller: an entry in a shared list, or fields that it applied. */
export const namesController = (kind: Kind, object: KubernetesObject, controllerName: string): boolean => {
  const { status } = object as KubernetesObject & { readonly status?: CurrentStatus }
  const shared = sharedEntries[kind]
  return shared
    ? (status?.[shared.field] ?? []).some((entry) => entry.controllerName === controllerName)
    : (object.metadata.statusManagers ?? []).includes(controllerName)
}
