import { concat, concatMap, defer, from, map, type Observable, of, type OperatorFunction, reduce } from 'rxjs'
import type { ModuleLog } from '../../../model/log/module-log.ts'
import type { ApiFailure } from '../../api/api-failure.ts'
import type { KubernetesObject } from '../../kinds/object.ts'
import { workOnLatest } from '../latest-work.ts'
import { RewriteLimit } from '../rewrite-limit.ts'
import { applyObject, type FieldManager } from './apply-object.ts'
import { type CreatedObject, createObject } from './create-object.ts'
import { pruneObjects, type PruneScope } from './prune-objects.ts'

/** Objects that belong together, such as those of a Gateway. */
export interface ObjectGroup {
  readonly key: string
  /** Undefined ends the work on this key; the objects go with their owner. */
  readonly wanted: WantedObjects | undefined
}

/** The objects of a group. */
export interface WantedObjects {
  /** Created first, by an object that is made for each attempt, and left alone where there is one already. */
  readonly created?: readonly (() => CreatedObject)[]
  readonly objects: readonly KubernetesObject[]
  readonly prune?: PruneScope
}

/** The outcome for the objects of a key. A failure is followed by another attempt. */
export interface DeploymentOutcome {
  readonly key: string
  /** The group that this is about. */
  readonly group: ObjectGroup
  readonly applied: number
  readonly pruned: number
  readonly failure: ApiFailure | undefined
}

/** What deploying needs. */
export interface DeployOptions extends FieldManager {
  readonly isLeader$: Observable<boolean>
  /** Keys whose objects may have been changed by others. */
  readonly again$?: Observable<string>
  readonly log: ModuleLog
}

/**
 * Applies groups of objects, and deletes what is no longer part of them. The objects after one that cannot be
 * applied are not applied before it is.
 */
export const deployObjects = (options: DeployOptions): OperatorFunction<ObjectGroup, DeploymentOutcome> => {
  const rewrites = new RewriteLimit<KubernetesObject>()
  return workOnLatest<ObjectGroup, DeploymentOutcome>({
    ...options,
    keyOf: ({ key }) => key,
    isLast: ({ wanted }) => wanted === undefined,
    hasWork: ({ wanted }) => wanted !== undefined,
    work: (group) => deployGroup(group, { ...options, rewrites }),
    onFailure: (group, failure, delayMs) => {
      const { status, reason, message } = failure
      const fields = { object: group.key, status, reason, error: message, delay_ms: Math.round(delayMs) }
      options.log.warn?.('objects cannot be deployed', fields)
      return { key: group.key, group, applied: 0, pruned: 0, failure }
    },
    concurrency: 4,
    backoff: { firstMs: 500, maxMs: 30_000 },
  })
}

const deployGroup = (group: ObjectGroup, options: FieldManager): Observable<DeploymentOutcome> => {
  const { key, wanted } = group
  if (!wanted) return from([])
  const { objects, prune } = wanted
  const prune$ = defer(() => (prune ? pruneObjects(prune, objects, options.client) : of(0)))
  return applyAll(wanted, options).pipe(
    concatMap((applied) =>
      prune$.pipe(map((pruned) => ({ key, group, applied, pruned, failure: undefined }))),
    ),
  )
}

/**
 * Creates and applies objects in their order; emits how many had to be. The first failure ends it: pods must not run with
 * a service account that could not be applied.
 */
const applyAll = ({ created = [], objects }: WantedObjects, manager: FieldManager): Observable<number> =>
  concat(
    ...created.map((make) => defer(() => createObject(make(), manager))),
    ...objects.map((object) => applyObject(object, manager)),
  ).pipe(reduce((applied, isApplied) => applied + (isApplied ? 1 : 0), 0))
