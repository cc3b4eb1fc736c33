import { type ApiResource, apiVersionOf } from '../../api/resource-path.ts'

const core = { group: '', version: 'v1' }
const apps = { group: 'apps', version: 'v1' }

/** Where the kinds are served that the control plane creates. */
const resources: Readonly<Record<string, ApiResource>> = {
  ServiceAccount: { ...core, plural: 'serviceaccounts' },
  ConfigMap: { ...core, plural: 'configmaps' },
  Secret: { ...core, plural: 'secrets' },
  Service: { ...core, plural: 'services' },
  Deployment: { ...apps, plural: 'deployments' },
  DaemonSet: { ...apps, plural: 'daemonsets' },
  PodDisruptionBudget: { group: 'policy', version: 'v1', plural: 'poddisruptionbudgets' },
  HorizontalPodAutoscaler: { group: 'autoscaling', version: 'v2', plural: 'horizontalpodautoscalers' },
  GatewayClass: { group: 'gateway.networking.k8s.io', version: 'v1', plural: 'gatewayclasses' },
}

/** Where a kind is served; undefined if the control plane does not create it. */
export const appliedResource = ({
  apiVersion,
  kind,
}: {
  readonly apiVersion: string
  readonly kind: string
}): ApiResource | undefined => {
  const resource = Object.hasOwn(resources, kind) ? resources[kind] : undefined
  return resource && apiVersionOf(resource) === apiVersion ? resource : undefined
}
