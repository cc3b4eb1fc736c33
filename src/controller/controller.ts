import { randomUUID } from 'node:crypto'
import { type Observable, of, shareReplay, Subject, take, tap } from 'rxjs'
import type { HeapSampling } from '../admin/profiling/heap-sampling.ts'
import { ApiClient } from './api/api-client.ts'
import type { ClusterAccess } from './api/cluster-access.ts'
import { certificateSecrets, type ControllerCore, openCore } from './controller-core.ts'
import { controllerServers } from './process/controller-servers.ts'
import type { ControllerSettings } from './settings/controller-settings.ts'
import type { XdsRejection } from './sinks/xds/delta-stream.ts'
import { leadership } from './streams/leadership.ts'
import { controllerWork } from './controller-work.ts'
import type { XdsServer } from './sinks/xds/xds-server.ts'
import { openXdsService } from './xds-service.ts'

/** A running control plane. */
export interface Controller {
  /** Settles when it has ended; rejects if a part of it failed. */
  readonly ended: Promise<void>
  /** Ends it; a leader releases its lease. */
  close(): Promise<void>
}

/** As many as there are reviews of tokens at a time. */
const REVIEW_CONNECTIONS = 16
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
  const served: { xds?: XdsServer } = {}
  const pendingXds = (): readonly string[] => (sets.isSynced && served.xds?.isServing ? [] : ['xDS'])
  await using opened = new AsyncDisposableStack()
  opened.defer(() => {
    telemetry.destination.flushSync()
  })
  opened.defer(() => client.close())
  const servers = await controllerServers(settings.ports, {
    ...telemetry,
    heapSampling,
    shutdown: ending.signal,
    pending: () => (ending.signal.aborted ? ['ending'] : [...feed.pending, ...pendingXds()]),
    snapshots: () => sets.report(),
    log: telemetry.logs.default,
  })
  opened.defer(() => servers.close())
  const reviewer = new ApiClient(access.apart(REVIEW_CONNECTIONS))
  opened.defer(() => reviewer.close())
  const xds = await openXdsService({
    ...core,
    reviewer,
    certificateSecret$: certificateSecrets(core),
    onRejected: (rejection) => {
      reportRejection(core, rejection)
    },
    metrics: telemetry.metrics,
    log: telemetry.logs.syncer,
  })
  opened.defer(() => xds.close())
  served.xds = xds
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
  const election = isLeader$.subscribe({
    next: (isLeader) => {
      if (isLeader) xds.lead()
    },
    error: ended.reject,
  })
  const released = new Promise<void>((resolve) => election.add(resolve))
  opened.defer(async () => {
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
      // Not ready from now on, while the rest still serves.
      ending.abort()
      closing ??= parts.disposeAsync().then(() => {
        ended.resolve(undefined)
      }, ended.reject)
      return closing
    },
  }
}

/** Whether this replica leads. Completes once the lease is released. */
const leaders = (
  { settings, client, term, telemetry: { logs }, live }: ControllerCore,
  stop$: Observable<void>,
): Observable<boolean> => {
  const { isLeaderElected, pod } = settings
  const elected$ = leadership({
    client,
    namespace: pod.namespace,
    name: LEASE,
    identity: `${pod.name}_${randomUUID()}`,
    stop$,
    term,
    log: logs.default,
  })
  if (!isLeaderElected) term.until = Infinity
  return (isLeaderElected ? elected$ : of(true)).pipe(
    tap((isLeader) => {
      live.isLeader = isLeader
      logs.default.info?.(isLeader ? 'this replica leads' : 'another replica leads')
    }),
    shareReplay({ bufferSize: 1, refCount: false }),
  )
}

const reportRejection = (
  { feed, live, events$, telemetry: { metrics, logs } }: ControllerCore,
  { role, node, message }: XdsRejection,
): void => {
  metrics.rejects.inc()
  const gateway = live.gateways.find((one) => one.role === role)?.key ?? role
  logs.syncer.warn?.('a proxy rejects resources', { gateway, node, error: message })
  const object = feed.current('Gateway', gateway)
  if (object) events$.next({ object, type: 'Warning', reason: 'AgentGatewayNackError', message })
}
