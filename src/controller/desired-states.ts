import {
  auditTime,
  defer,
  exhaustMap,
  filter,
  finalize,
  from,
  map,
  merge,
  type Observable,
  of,
  ReplaySubject,
  share,
  tap,
} from 'rxjs'
import { runInLongSlices } from '../model/event-loop/time-slicing.ts'
import type { Query } from './graph/query.ts'
import type { Graph } from './graph/graph.ts'
import type { GatewayDeployment } from './kinds/inputs.ts'
import type { ObjectFeed } from './streams/object-feed.ts'
import type { DeploymentPlan } from './translate/deployment/deployment-plan.ts'
import { type DesiredState, desiredState } from './translate/desired-state.ts'
import type { TranslationFailure } from './translate/translation-failure.ts'
import { translationSteps } from './translate/translation-steps.ts'

/** How the last attempt to deploy the proxies of a Gateway ended. */
export interface DeploymentResult {
  /** Of the Gateway. */
  readonly key: string
  /** Undefined if the Gateway is gone. */
  readonly deployment: GatewayDeployment | undefined
}

/** The inputs of the translation, and where they are kept. */
export interface DesiredStateInputs {
  readonly graph: Graph
  readonly feed: ObjectFeed
  readonly deploymentPlan: Query<DeploymentPlan | undefined>
  /** Emits after each change of the graph. */
  readonly changed$: Observable<unknown>
  readonly deploymentResults$: Observable<DeploymentResult>
  /** Called with the duration of each translation. */
  readonly onTranslated: (seconds: number) => void
  /** Called once for each error of the translation. */
  readonly onFailed: (failure: TranslationFailure) => void
}

/** A burst of changes is one translation. */
const BURST_MS = 10

/** So many changes at once may be seconds of work: the lists at the start, a namespace that comes or goes. */
const MANY_CHANGES = 500

/** Values that are no longer read are removed after so many translations, and when most objects are gone. */
const SWEEP_EVERY = 1_000

/**
 * What should be, again after each burst of changes; nothing before all objects of the cluster are known. One
 * translation for all subscribers.
 */
export const desiredStates = (inputs: DesiredStateInputs): Observable<DesiredState> => {
  const { graph, feed, deploymentPlan, changed$, deploymentResults$, onTranslated, onFailed } = inputs
  let translations = 0
  let translatedRevision = 0
  let before: DesiredState | undefined
  let reported = new Set<unknown>()
  return merge(
    changed$,
    deploymentResults$.pipe(
      tap(({ key, deployment }) => {
        if (deployment) graph.set('GatewayDeployment', key, deployment)
        else graph.delete('GatewayDeployment', key)
      }),
    ),
  ).pipe(
    auditTime(BURST_MS),
    filter(() => feed.isSynced()),
    // What changes meanwhile is part of the same translation.
    exhaustMap(() =>
      graph.revision - translatedRevision > MANY_CHANGES ? translatedInSlices(graph) : of(undefined),
    ),
    map(() => {
      translatedRevision = graph.revision
      const began = performance.now()
      const state = desiredState(graph, deploymentPlan, before)
      before = state
      // What fails for a Gateway may fail for all of its routes: the error is the same.
      const known = new Set<unknown>()
      for (const failure of state.failures) {
        if (!reported.has(failure.error) && !known.has(failure.error)) onFailed(failure)
        known.add(failure.error)
      }
      reported = known
      onTranslated((performance.now() - began) / 1_000)
      if (++translations % SWEEP_EVERY === 0 || graph.isMostlyUnused) graph.sweep()
      return state
    }),
    // A replica that becomes the leader later begins with what should be now.
    share({ connector: () => new ReplaySubject(1), resetOnRefCountZero: true }),
  )
}

/** Has most values computed, while streams and probes have their turn. Ends with its subscription. */
const translatedInSlices = (graph: Graph): Observable<unknown> =>
  defer(() => {
    const ending = new AbortController()
    return from(runInLongSlices(translationSteps(graph), ending.signal)).pipe(finalize(() => ending.abort()))
  })
