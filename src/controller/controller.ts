import { randomUUID } from 'node:crypto'
import { type Observable, of, shareReplay, Subject, take, tap } from 'rxjs'
import type { HeapSampling } from '../admin/profiling/heap-sampling.ts'
import type { ClusterAccess } from './api/cluster-access.ts'
import { certificateSecrets, type ControllerCore, openCore } from './core.ts'
import { controllerServers } from './process/controller-servers.ts'
import type { ControllerSettings } from './settings/controller-settings.ts'
import type { XdsRejection } from './sinks/xds/delta-stream.ts'
import { leadership } from './streams/leadership.ts'
import { controllerWork } from './work.ts'
import { openXdsService } from './xds-service.ts'

/** A running control plane. */
export interface Controller {
  /** Settles when it has ended; rejects if a part of it failed. */
  readonly ended: Promise<void>
  /** Ends it; a leader releases its lease. */
  close(): Promise<void>
}

const LEASE = 'agentgateway-agentgateway'

/**
 * Starts the control plane: it follows the objects of the cluster, computes what should be, and makes it so by statuses,
 * deployments and xDS.
 *
 * @throws StartFailure if a port cannot be opened.
 */
export const startController = async (
  settings: ControllerSettings,
  access: ClusterAccess,
  { heapSampling }: { readonly heapSampling?: HeapSampling | undefined } = {},
): Promise<Controller> => {
  const core = openCore(settings, access)
  const { client, feed, sets, telemetry, live } = core
  const ending = new AbortController()
  await using opened = new AsyncDisposableStack()
  opened.defer(() => {
    telemetry.destination.flushSync()
  })
  opened.defer(() => client.close())
  const servers = await controllerServers(settings.ports, {
    ...telemetry,
    heapSampling,
    shutdown: ending.signal,
    pending: () => feed.pending,
    snapshots: () => sets.report(),
    log: telemetry.logs.default,
  })
  opened.defer(() => servers.close())
  const xds = await openXdsService({
    ...core,
    certificateSecret$: certificateSecrets(core),
    onRejected: (rejection) => {
      reportRejection(core, rejection)
    },
    metrics: telemetry.metrics,
    log: telemetry.logs.syncer,
  })
  opened.defer(() => xds.close())
  live.streams = () => xds.streams
  const ended = Promise.withResolvers<undefined>()
  const stop$ = new Subject<void>()
  const isLeader$ = leaders(core, stop$)
  const work = controllerWork(core, isLeader$).subscribe({ error: ended.reject })
  // What is known at the start is published as a whole.
  const published = core.states$.pipe(take(1)).subscribe({
    next: () => {
      sets.synced()
    },
    error: ended.reject,
  })
  const election = isLeader$.subscribe({ error: ended.reject })
  const released = new Promise<void>((resolve) => election.add(resolve))
  opened.defer(async () => {
    ending.abort()
    // The lease is released last: until then no other replica writes.
    work.unsubscribe()
    published.unsubscribe()
    stop$.next()
    await released
  })
  const parts = opened.move()
  let closing: Promise<void> | undefined
  return {
    ended: ended.promise,
    close: () => {
      telemetry.logs.default.info?.('ending')
      closing ??= parts.disposeAsync().then(() => {
        ended.resolve(undefined)
      }, ended.reject)
      return closing
    },
  }
}

/** Whether this replica leads. Completes once the lease is released. */
const leaders = (
  { settings, client, telemetry: { logs }, live }: ControllerCore,
  stop$: Observable<void>,
): Observable<boolean> => {
  const { isLeaderElected, pod } = settings
  const elected$ = leadership({
    client,
    namespace: pod.namespace,
    name: LEASE,
    identity: `${pod.name}_${randomUUID()}`,
    stop$,
    log: logs.default,
  })
  return (isLeaderElected ? elected$ : of(true)).pipe(
    tap((isLeader) => {
      live.isLeader = isLeader
      logs.default.info?.(isLeader ? 'this replica leads' : 'another replica leads')
    }),
    shareReplay({ bufferSize: 1, refCount: false }),
  )
}

const reportRejection = (
  { feed, events$, telemetry: { metrics, logs } }: ControllerCore,
  { gateway, node, message }: XdsRejection,
): void => {
  metrics.rejects.inc()
  logs.syncer.warn?.('a proxy rejects resources', { gateway, node, error: message })
  const object = feed.current('Gateway', gateway)
  if (object) events$.next({ object, type: 'Warning', reason: 'AgentGatewayNackError', message })
}
