import { filter, map, type Observable, share, Subject } from 'rxjs'
import { ApiClient } from './api/api-client.ts'
import type { ClusterAccess } from './api/cluster-access.ts'
import { type DeploymentResult, desiredStates } from './desired-states.ts'
import { Graph } from './graph/graph.ts'
import { keepUsedClasses } from './kept-classes.ts'
import type { Secret } from './kinds/core.ts'
import { watchedKinds } from './kinds/kinds.ts'
import {
  type ControllerTelemetry,
  openControllerTelemetry,
  watchNumbers,
} from './process/controller-telemetry.ts'
import type { ControllerSettings } from './settings/controller-settings.ts'
import { CERTIFICATE_SECRET, proxySettings } from './settings/proxy-settings.ts'
import type { ObjectEvent } from './sinks/record-events.ts'
import { ResourceSets } from './sinks/xds/resource-sets.ts'
import type { Change } from './streams/change.ts'
import { clusterChanges } from './streams/cluster-changes.ts'
import { LeaderTerm } from './streams/leader-term.ts'
import { ObjectFeed } from './streams/object-feed.ts'
import { ReflectorRecords } from './streams/reflector-observer.ts'
import { gatewayDeploymentPlan } from './translate/deployment/deployment-plan-query.ts'
import type { DesiredGateway, DesiredState } from './translate/desired-state.ts'

/** From the objects of the cluster to what should be: the part of the control plane that decides. */
export interface ControllerCore {
  readonly settings: ControllerSettings
  readonly client: ApiClient
  /** Writes only while this replica leads. */
  readonly leaderClient: ApiClient
  readonly term: LeaderTerm
  readonly feed: ObjectFeed
  /** Each change of the cluster, once the graph has it. */
  readonly changes$: Observable<Change>
  readonly states$: Observable<DesiredState>
  /** How deployments ended, for the statuses. */
  readonly deploymentResults$: Subject<DeploymentResult>
  /** Events that are recorded for objects. */
  readonly events$: Subject<ObjectEvent>
  /** The resources that proxies get. */
  readonly sets: ResourceSets
  readonly telemetry: ControllerTelemetry
  /** What parts know that are opened later. */
  readonly live: { streams: () => number; isLeader: boolean; gateways: readonly DesiredGateway[] }
}

/** Opens the core. Nothing happens before its observables are subscribed. */
export const openCore = (settings: ControllerSettings, access: ClusterAccess): ControllerCore => {
  const client = new ApiClient(access)
  const term = new LeaderTerm()
  const records = new ReflectorRecords()
  const graph = new Graph(settings.translation)
  const watched = watchedKinds(settings.translation.features)
  const feed = new ObjectFeed(keepUsedClasses(graph, settings.translation.controllerName), watched)
  const live: ControllerCore['live'] = { streams: () => 0, isLeader: false, gateways: [] }
  const telemetry = openControllerTelemetry(settings, {
    objects: () => feed.counts(),
    watches: () => watchNumbers(records),
    streams: () => live.streams(),
    isLeader: () => live.isLeader,
  })
  const { logs, metrics } = telemetry
  const { discoveryNamespaces } = settings
  const applied$ = clusterChanges({
    client,
    watched,
    observer: records,
    discoveryNamespaces,
    ownNamespace: settings.pod.namespace,
    log: logs.syncer,
  }).pipe(
    map((change) => ({ change, isNews: feed.apply(change) })),
    share(),
  )
  const deploymentResults$ = new Subject<DeploymentResult>()
  const states$ = desiredStates({
    graph,
    feed,
    deploymentPlan: gatewayDeploymentPlan(proxySettings(settings)),
    changed$: applied$.pipe(filter(({ isNews }) => isNews)),
    deploymentResults$,
    onTranslated: (seconds) => {
      metrics.translation.observe(seconds)
      logs.translator.debug?.('translated', { seconds })
    },
    onFailed: ({ kind, key, error }) => {
      logs.translator.error?.('an object cannot be translated', { kind, object: key, error })
    },
  })
  const changes$ = applied$.pipe(map(({ change }) => change))
  return {
    settings,
    client,
    leaderClient: client.writingWhile(() => term.isCurrent),
    term,
    feed,
    changes$,
    states$,
    deploymentResults$,
    events$: new Subject(),
    sets: new ResourceSets(),
    telemetry,
    live,
  }
}

/** The Secret with the certificate authority of xDS, whenever it may have changed; undefined if there is none. */
export const certificateSecrets = ({
  settings,
  feed,
  changes$,
}: ControllerCore): Observable<Secret | undefined> =>
  changes$.pipe(
    filter(({ kind }) => kind === 'Secret' && feed.isSynced(['Secret'])),
    map(() => feed.current('Secret', `${settings.pod.namespace}/${CERTIFICATE_SECRET}`)),
  )
