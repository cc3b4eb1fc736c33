import { concatMap, EMPTY, map, merge, type Observable, share, switchMap, tap } from 'rxjs'
import type { DeploymentResult } from './desired-states.ts'
import type { KubernetesObject } from './kinds/object.ts'
import { type DeploymentOutcome, deployObjects, type DeployOptions } from './sinks/apply/deploy-objects.ts'
import { createSessionKeys } from './sinks/create-session-keys.ts'
import type { DesiredGateway, DesiredState } from './translate/desired-state.ts'

/** What deploying Gateways needs. */
export interface DeploymentOptions extends DeployOptions {
  /** Called with the outcome of each attempt. */
  readonly attempted: (outcome: DeploymentOutcome) => void
}

/**
 * Deploys the proxies of Gateways when what they need has changed. Emits how each attempt ended, which is an input of
 * the statuses.
 */
export const deployments =
  (options: DeploymentOptions) =>
  (states$: Observable<DesiredState>): Observable<DeploymentResult> => {
    const changes$ = states$.pipe(changedGateways, share())
    const applied$ = changes$.pipe(
      map(({ key, plan }) => ({ key, wanted: plan && 'objects' in plan ? plan : undefined })),
      deployObjects(options),
      tap(options.attempted),
    )
    const generations = new Map<string, number>()
    const planned$ = changes$.pipe(
      tap(({ key, generation }) => generations.set(key, generation)),
      concatMap(plannedResult),
    )
    return merge(
      planned$,
      applied$.pipe(map(({ key, failure }) => appliedResult(key, generations.get(key) ?? 0, failure))),
      states$.pipe(missingSessionKeys(options.isLeader$), createSessionKeys(options.client, options.log)),
    )
  }

/** A Gateway whose deployment has changed; without a plan if it is gone. */
type ChangedGateway = Pick<DesiredGateway, 'key' | 'generation' | 'plan'>

/** The Gateways that differ from those before. Plans that did not change are the same objects. */
const changedGateways = (states$: Observable<DesiredState>): Observable<ChangedGateway> => {
  let before = new Map<string, ChangedGateway>()
  return states$.pipe(
    concatMap(({ gateways }) => {
      const now = new Map(gateways.map((gateway) => [gateway.key, gateway]))
      const changed = gateways.filter(({ key, generation, plan }) => {
        const known = before.get(key)
        return known?.plan !== plan || (plan && 'failure' in plan && known?.generation !== generation)
      })
      const gone = [...before.keys()].filter((key) => !now.has(key))
      before = now
      return [...changed, ...gone.map((key) => ({ key, generation: 0, plan: undefined }))]
    }),
  )
}

/** The results that are known without an attempt. */
const plannedResult = ({ key, generation, plan }: ChangedGateway): readonly DeploymentResult[] => {
  if (!plan) return [{ key, deployment: undefined }]
  return 'failure' in plan ? [{ key, deployment: { generation, failure: plan.failure } }] : []
}

const appliedResult = (key: string, generation: number, failure: Error | undefined): DeploymentResult => ({
  key,
  deployment: {
    generation,
    ...(failure && { failure: { reason: 'DeploymentFailed', message: failure.message } }),
  },
})

/** Again for each state, as long as they are missing: creating one may fail. */
const missingSessionKeys =
  (isLeader$: Observable<boolean>) =>
  (states$: Observable<DesiredState>): Observable<KubernetesObject> =>
    isLeader$.pipe(
      switchMap((isLeader) => (isLeader ? states$ : EMPTY)),
      concatMap(({ gateways }) =>
        gateways.flatMap(({ plan }) => (plan && 'missingSessionKey' in plan ? [plan.missingSessionKey] : [])),
      ),
    )
