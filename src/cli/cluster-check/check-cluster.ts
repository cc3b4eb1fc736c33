import { from, lastValueFrom, mergeMap, toArray } from 'rxjs'
import { backendFindings } from './backend-findings.ts'
import { certificateFindings } from './certificate-findings.ts'
import { certificateReferences } from './certificate-references.ts'
import { type CheckScope, openCheckScope } from './check-scope.ts'
import { checkedBackendKinds, policyKinds, routeKinds } from './checked-kinds.ts'
import type { ClusterFinding, ClusterReport } from './cluster-finding.ts'
import { ClusterReader } from './cluster-reader.ts'
import { controllerState } from './controller-snapshots.ts'
import { gatewayFindings } from './gateway-findings.ts'
import { policyFindings } from './policy-findings.ts'
import { proxyFindings } from './proxy-findings.ts'
import { routeFindings } from './route-findings.ts'
import type { AdminAccess } from '../gateway/admin-access.ts'
import type { Cluster } from '../kubernetes/load-cluster.ts'

/** What is checked, and how. */
export interface ClusterCheck {
  readonly cluster: Cluster
  /** Undefined for all namespaces. */
  readonly namespace: string | undefined
  readonly controllerName: string
  readonly controller: { readonly namespace: string; readonly port: number }
  /** Undefined leaves proxies and controller out. */
  readonly proxies: { readonly access: AdminAccess; readonly port: number } | undefined
  readonly soonMs: number
}

/** Calls to pods at a time. */
const CONCURRENT_GATEWAYS = 8

/** Looks at a cluster once. */
export const checkCluster = async (check: ClusterCheck): Promise<ClusterReport> => {
  const reader = new ClusterReader(check.cluster, check.namespace)
  const scope = await openCheckScope(reader, check.controllerName)
  const checked: Record<string, number> = { Gateway: scope.gateways.length + scope.strays.length }
  const count = (kind: string, number: number) => {
    if (number > 0) checked[kind] = (checked[kind] ?? 0) + number
  }
  count('ListenerSet', scope.listenerSets.length)
  const findings: ClusterFinding[] = [...gatewayFindings(scope)]
  for (const kind of routeKinds)
    for (const route of (await reader.list(kind)) ?? []) {
      if (route.metadata.deletionTimestamp !== undefined) continue
      count(kind.kind, 1)
      findings.push(...(await routeFindings(scope, kind.kind, route)))
    }
  const policies = await Promise.all(
    policyKinds.map(async ({ kind, ...resource }) => ({
      kind,
      objects: (await reader.list({ kind, ...resource })) ?? [],
    })),
  )
  for (const { kind, objects } of policies) {
    count(kind, objects.length)
    findings.push(...objects.flatMap((policy) => policyFindings(check.controllerName, kind, policy)))
  }
  for (const kind of checkedBackendKinds)
    for (const backend of (await reader.list(kind)) ?? []) {
      count(kind.kind, 1)
      findings.push(...backendFindings(check.controllerName, kind.kind, backend))
    }
  const references = certificateReferences(
    scope,
    policies.find(({ kind }) => kind === 'BackendTLSPolicy')?.objects ?? [],
  )
  findings.push(
    ...(await certificateFindings(reader, references, { nowMs: Date.now(), soonMs: check.soonMs })),
    ...(await proxies(check, scope, () => {
      count('Pod', 1)
    })),
  )
  return { findings: findings.toSorted(byObject), unchecked: reader.unchecked, checked }
}

const proxies = async (
  { controller, proxies: options }: ClusterCheck,
  { reader, gateways }: CheckScope,
  onChecked: () => void,
): Promise<readonly ClusterFinding[]> => {
  if (!options || gateways.length === 0) return []
  const { findings, snapshots } = await controllerState(reader, controller)
  const found = await lastValueFrom(
    from(gateways).pipe(
      mergeMap(
        (gateway) => proxyFindings(reader, gateway, { ...options, snapshots, onChecked }),
        CONCURRENT_GATEWAYS,
      ),
      toArray(),
    ),
  )
  return [...findings, ...found.flat()]
}

/** Errors first, then by namespace, kind and name; what is wrong with one object stays in its order. */
const byObject = (a: ClusterFinding, b: ClusterFinding): number =>
  a.severity === b.severity ? compare(sortKey(a), sortKey(b)) : a.severity === 'error' ? -1 : 1

const sortKey = ({ namespace = '', kind, name }: ClusterFinding): string => [namespace, kind, name].join('\0')

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
