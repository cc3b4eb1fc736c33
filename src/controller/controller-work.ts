import { concatMap, EMPTY, filter, map, merge, NEVER, type Observable, of, switchMap, tap } from 'rxjs'
import { changedItems } from './changed-items.ts'
import { changedResources } from './changed-resources.ts'
import type { ControllerCore } from './controller-core.ts'
import { deployments } from './deployments.ts'
import { namespacedKey, objectKey } from './kinds/object.ts'
import { problemEvents } from './problem-events.ts'
import { deployObjects } from './sinks/apply/deploy-objects.ts'
import { ownerGateways } from './owner-gateways.ts'
import { type KeySetItem, storeKeySets } from './sinks/jwks/store-key-sets.ts'
import { type HeldClass, holdClasses } from './sinks/hold-classes.ts'
import { recordEvents } from './sinks/record-events.ts'
import { type StatusUpdate, writeStatuses } from './sinks/status/write-statuses.ts'
import { staleStatuses } from './stale-statuses.ts'
import { KEY_SET_ENTRY, KEY_SET_OWNER, keySetLabels, storedKeySet } from './translate/jwks/stored-key-set.ts'
import { ownGatewayClass } from './translate/gateway-class/own-gateway-class.ts'

/**
 * What the control plane does with what should be. Every replica serves proxies; the leader alone writes to the
 * cluster.
 */
export const controllerWork = (core: ControllerCore, isLeader$: Observable<boolean>): Observable<unknown> =>
  merge(
    servedResources(core),
    writtenStatuses(core, isLeader$),
    deployedGateways(core, isLeader$),
    createdClass(core, isLeader$),
    heldClasses(core, isLeader$),
    storedKeySets(core, isLeader$),
    recordedEvents(core, isLeader$),
  )

/** Publishes the resources of proxies. */
const servedResources = ({ states$, sets, live }: ControllerCore): Observable<unknown> =>
  states$.pipe(
    tap(({ unknownRoles, gateways }) => {
      live.gateways = gateways
      sets.withhold(new Set(unknownRoles))
    }),
    changedResources,
    tap(({ role, resources }) => {
      sets.set(role, resources)
    }),
  )

/** Writes statuses, and writes them again after another client has changed them. */
const writtenStatuses = (
  { states$, changes$, feed, leaderClient: client, settings, telemetry }: ControllerCore,
  isLeader$: Observable<boolean>,
): Observable<unknown> =>
  merge(
    states$.pipe(
      // Of these fields, each written by a translation of its own kind.
      map(({ statuses }) => statuses as readonly StatusUpdate[]),
      changedItems({
        keyOf: ({ kind, key }) => `${kind}/${key}`,
        isSame: (before, now) => before.status === now.status,
        goneOf: ({ kind, key }): StatusUpdate => ({ kind, key, status: undefined }),
      }),
    ),
    states$.pipe(staleStatuses({ feed, changes$, controllerName: settings.translation.controllerName })),
  ).pipe(
    writeStatuses({
      client,
      current: (kind, key) => feed.current(kind, key),
      controllerName: settings.translation.controllerName,
      isLeader$,
      changes$: changes$.pipe(filter((change) => change.type === 'set')),
      log: telemetry.logs['gateway controller'],
    }),
    tap(({ kind, key, result }) => {
      telemetry.metrics.statusWrites.inc({ kind, outcome: result })
      telemetry.logs['gateway controller'].debug?.('a status was written', { kind, object: key, result })
    }),
  )

/** Deploys the proxies of Gateways, again after a part was changed or deleted. The outcome is an input of their statuses. */
const deployedGateways = (
  { states$, changes$, deploymentResults$, leaderClient: client, settings, telemetry }: ControllerCore,
  isLeader$: Observable<boolean>,
): Observable<unknown> =>
  states$.pipe(
    deployments({
      client,
      fieldManager: settings.translation.controllerName,
      isLeader$,
      again$: changes$.pipe(ownerGateways),
      log: telemetry.logs.deployer,
      onAttempted: ({ key, applied, pruned, failure }) => {
        telemetry.metrics.deployments.inc({ outcome: failure ? 'failed' : 'succeeded' })
        telemetry.logs.deployer.debug?.('deployed', { gateway: key, applied, pruned })
      },
    }),
    tap((result) => {
      deploymentResults$.next(result)
    }),
  )

/** Creates our GatewayClass, again if it was deleted or changed. */
const createdClass = (
  { changes$, leaderClient: client, settings: { translation }, telemetry }: ControllerCore,
  isLeader$: Observable<boolean>,
): Observable<unknown> => {
  const ours = ownGatewayClass(translation)
  const key = objectKey(ours)
  return merge(of({ key, wanted: { objects: [ours] } }), NEVER).pipe(
    deployObjects({
      client,
      fieldManager: translation.controllerName,
      isLeader$,
      again$: changes$.pipe(
        filter((change) => change.kind === 'GatewayClass' && change.type !== 'synced' && change.key === key),
        map(() => key),
      ),
      log: telemetry.logs['gateway controller'],
    }),
  )
}

/** Classes that Gateways use cannot be deleted. */
const heldClasses = (
  { states$, changes$, feed, leaderClient: client, settings: { translation }, telemetry }: ControllerCore,
  isLeader$: Observable<boolean>,
): Observable<unknown> =>
  states$.pipe(
    map(({ classes }) => classes),
    changedItems({ keyOf: ({ key }) => key, goneOf: ({ key }): HeldClass => ({ key, isUsed: undefined }) }),
    holdClasses({
      client,
      fieldManager: translation.controllerName,
      isLeader$,
      current: (key) => feed.current('GatewayClass', key),
      again$: changes$.pipe(
        concatMap((change) => (change.kind === 'GatewayClass' && change.type === 'set' ? [change.key] : [])),
      ),
      log: telemetry.logs['gateway controller'],
    }),
    tap(({ key, result }) => {
      telemetry.logs['gateway controller'].debug?.('a class was looked at', { class: key, result })
    }),
  )

/** Fetches the keys of tokens that policies refer to, for all replicas. */
const storedKeySets = (
  { states$, feed, leaderClient: client, settings: { translation, pod }, telemetry }: ControllerCore,
  isLeader$: Observable<boolean>,
): Observable<unknown> =>
  states$.pipe(
    map(({ keySets }) => keySets),
    changedItems({
      keyOf: ({ name }) => name,
      isSame: ({ source: before }, { source: now }) => JSON.stringify(before) === JSON.stringify(now),
      // What is to be deleted has no source already.
      goneOf: ({ name, source }): KeySetItem | undefined => source && { name, source: undefined },
    }),
    storeKeySets({
      client,
      fieldManager: translation.controllerName,
      namespace: pod.namespace,
      isLeader$,
      fetchedAt: (name) => {
        const known = feed.current('ConfigMap', namespacedKey(pod.namespace, name))
        const stored = known && storedKeySet(known)
        return stored && Date.parse(stored.fetchedAt)
      },
      configMap: (name, stored) => ({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: {
          namespace: pod.namespace,
          name,
          labels: keySetLabels,
          annotations: { [KEY_SET_OWNER]: translation.controllerName },
        },
        data: { [KEY_SET_ENTRY]: JSON.stringify(stored) },
      }),
      log: telemetry.logs['gateway controller'],
    }),
    tap(({ name, result }) => {
      telemetry.logs['gateway controller'].debug?.('a key set was looked at', { key_set: name, result })
    }),
  )

/** Events of the proxies of this replica, whoever leads, and of the objects whose statuses the leader writes. */
const recordedEvents = (
  { events$, states$, feed, client, settings: { translation }, telemetry }: ControllerCore,
  isLeader$: Observable<boolean>,
): Observable<unknown> => {
  const { controllerName } = translation
  const ofObjects$ = isLeader$.pipe(
    switchMap((isLeader) => (isLeader ? states$.pipe(problemEvents({ feed, controllerName })) : EMPTY)),
  )
  return merge(events$, ofObjects$).pipe(
    recordEvents({ client, component: controllerName, log: telemetry.logs.default }),
  )
}
