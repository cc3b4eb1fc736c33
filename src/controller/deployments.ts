import { randomBytes } from 'node:crypto'
import { concatMap, map, merge, type Observable, share, tap } from 'rxjs'
import { changedItems } from './changed-items.ts'
import type { DeploymentResult } from './desired-states.ts'
import type { KubernetesObject } from './kinds/object.ts'
import type { CreatedObject } from './sinks/apply/create-object.ts'
import {
  type DeploymentOutcome,
  deployObjects,
  type DeployOptions,
  type ObjectGroup,
  type WantedObjects,
} from './sinks/apply/deploy-objects.ts'
import type { DesiredGateway, DesiredState } from './translate/desired-state.ts'

/** What deploying Gateways needs. */
export interface DeploymentOptions extends DeployOptions {
  /** Called with the outcome of each attempt. */
  readonly onAttempted: (outcome: DeploymentOutcome) => void
}

/**
 * Deploys the proxies of Gateways when what they need has changed. Emits how each attempt ended, which is an input of
 * the statuses.
 */
export const deployments =
  (options: DeploymentOptions) =>
  (states$: Observable<DesiredState>): Observable<DeploymentResult> => {
    const latest = new Map<string, PlannedGateway>()
    const planned$ = states$.pipe(
      changedGateways,
      map((gateway): PlannedGateway => ({
        ...gateway,
        group: { key: gateway.key, wanted: wantedOf(gateway) },
      })),
      tap((planned) => (planned.plan ? latest.set(planned.key, planned) : latest.delete(planned.key))),
      share(),
    )
    const applied$ = planned$.pipe(
      map(({ group }) => group),
      deployObjects(options),
      tap(options.onAttempted),
      concatMap(({ key, group, failure }): readonly DeploymentResult[] => {
        const planned = latest.get(key)
        // The outcome of a plan that is none any more says nothing, and the Gateway may be gone.
        return planned?.group === group ? [appliedResult(planned, failure)] : []
      }),
    )
    return merge(planned$.pipe(concatMap(plannedResult)), applied$)
  }

/** A Gateway whose deployment has changed; without a plan if it is gone. */
type ChangedGateway = Pick<DesiredGateway, 'key' | 'generation' | 'plan'>

type PlannedGateway = ChangedGateway & { readonly group: ObjectGroup }

/** Plans that did not change are the same objects. A failure is one of a generation. */
const changedGateways = (states$: Observable<DesiredState>): Observable<ChangedGateway> =>
  states$.pipe(
    map(({ gateways }) => gateways),
    changedItems<ChangedGateway, ChangedGateway>({
      keyOf: ({ key }) => key,
      isSame: (before, { plan, generation }) =>
        before.plan === plan && !(plan && 'failure' in plan && before.generation !== generation),
      goneOf: ({ key }) => ({ key, generation: 0, plan: undefined }),
    }),
  )

/** The results that are known without an attempt. */
const plannedResult = ({ key, generation, plan }: ChangedGateway): readonly DeploymentResult[] => {
  if (!plan) return [{ key, deployment: undefined }]
  return 'failure' in plan ? [{ key, deployment: { generation, failure: plan.failure } }] : []
}

const appliedResult = (
  { key, generation }: PlannedGateway,
  failure: Error | undefined,
): DeploymentResult => ({
  key,
  deployment: {
    generation,
    ...(failure && { failure: { reason: 'DeploymentFailed', message: failure.message } }),
  },
})

/** Everything else waits for the session key: what is deployed then depends on it. */
const wantedOf = ({ plan }: ChangedGateway): WantedObjects | undefined => {
  if (!plan || 'failure' in plan) return undefined
  if ('objects' in plan) return plan
  const { missingSessionKey } = plan
  return { created: [() => withSessionKey(missingSessionKey)], objects: [] }
}

const withSessionKey = (secret: KubernetesObject): CreatedObject & { readonly stringData: object } => ({
  ...secret,
  type: 'Opaque',
  stringData: { key: randomBytes(SESSION_KEY_BYTES).toString('hex') },
})

const SESSION_KEY_BYTES = 32
