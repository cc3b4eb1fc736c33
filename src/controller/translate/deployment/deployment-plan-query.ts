import type { Gateway } from '../../kinds/gateway-api.ts'
import { GATEWAY_NAME_LABEL, type KubernetesObject, namespacedKey, objectKey } from '../../kinds/object.ts'
import { defineQuery, type GraphReads, type Query } from '../../graph/query.ts'
import { xdsAuthorities } from '../certificates/xds-authorities.ts'
import { ownGateway } from '../gateway/own-gateway.ts'
import { mergeParameters } from '../parameters/merge-parameters.ts'
import { meshOf } from '../parameters/mesh.ts'
import { applyOverlays, hasOverlay } from '../parameters/overlays.ts'
import { parametersProblem } from '../parameters/parameters-problem.ts'
import { type ParametersLayer, parametersLayers } from '../parameters/parameters-layers.ts'
import type { DeployedProxy } from './deployed-proxy.ts'
import type { DeploymentPlan, PrunedObjects } from './deployment-plan.ts'
import { deploymentRival } from './deployment-rival.ts'
import type { DeploymentSettings } from './deployment-settings.ts'
import { deployedMetadata } from './gateway-metadata.ts'
import { gatewayPorts } from './gateway-ports.ts'
import { deploymentName, sessionKeyName, xdsCaName } from './names.ts'
import { proxyConfig } from './proxy-config.ts'
import { SESSION_KEY } from './proxy-environment.ts'
import { proxyServices } from './proxy-service.ts'
import { proxyAutoscaler, proxyDisruptionBudget, proxyWorkload } from './proxy-workload.ts'
import { sessionKeyOf, sessionKeySecret } from './session-key.ts'

/**
 * The objects that run the proxies of a Gateway, by the key of the Gateway: service account, configuration, Service and
 * Deployment or DaemonSet, as ProxyParameters have them. Undefined for Gateways that are not ours, or are being deleted:
 * Kubernetes collects their objects with their owner.
 */
export const gatewayDeploymentPlan = (settings: DeploymentSettings): Query<DeploymentPlan | undefined> =>
  defineQuery('gatewayDeploymentPlan', (reads, key) => {
    const gateway = ownGateway(reads, key)
    if (gateway?.metadata.deletionTimestamp !== undefined || !gateway) return undefined
    const rival = reads.query(deploymentRival, key)
    if (rival !== undefined)
      return invalid(
        `The objects of Gateway ${rival} are named ${deploymentName(gateway.metadata.name)} already`,
      )
    const found = parametersLayers(reads, gateway)
    if ('problem' in found) return invalid(found.problem)
    const { layers } = found
    const problem = parametersProblem(layers)
    if (problem !== undefined) return invalid(problem)
    const parameters = mergeParameters(layers)
    const proxy = { gateway, settings, parameters, mesh: meshOf(reads, gateway, parameters) }
    const hasOwnKey = parameters.env.some(({ name }) => name === SESSION_KEY)
    const sessionKey = hasOwnKey ? { key: undefined } : deployedSessionKey(proxy, reads)
    if (!('key' in sessionKey)) return sessionKey
    const overlaid = applyOverlays(deployedObjects(proxy, layers, sessionKey.key, reads), layers)
    return 'problem' in overlaid
      ? invalid(overlaid.problem)
      : { objects: overlaid.objects, prune: prunedObjects(gateway) }
  })

/** The key that proxies share, or why there is none. */
const deployedSessionKey = (
  { gateway, settings: { version } }: DeployedProxy,
  reads: GraphReads,
): { readonly key: string } | DeploymentPlan => {
  const secret = reads.object(
    'Secret',
    namespacedKey(gateway.metadata.namespace, sessionKeyName(gateway.metadata.name)),
  )
  // One of a Gateway that had the name before goes with it.
  if (!secret || isOfAnother(secret, gateway))
    return { missingSessionKey: sessionKeySecret(gateway, version) }
  const key = sessionKeyOf(secret)
  return key === undefined ? invalid(`Secret ${secret.metadata.name} has no valid session key`) : { key }
}

/** Whether an object belongs to something else than the Gateway. One that belongs to nothing was made by a user. */
const isOfAnother = ({ metadata }: KubernetesObject, gateway: Gateway): boolean =>
  metadata.ownerReferences?.some(
    ({ controller, uid }) => controller === true && uid !== gateway.metadata.uid,
  ) ?? false

/** Secrets, ConfigMaps, service accounts and Services are always wanted. */
const prunedObjects = (gateway: Gateway): PrunedObjects => ({
  namespace: gateway.metadata.namespace ?? '',
  labelSelector: `${GATEWAY_NAME_LABEL}=${deploymentName(gateway.metadata.name)}`,
  controllerUid: gateway.metadata.uid ?? '',
  kinds: [
    { apiVersion: 'apps/v1', kind: 'Deployment' },
    { apiVersion: 'apps/v1', kind: 'DaemonSet' },
    { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget' },
    { apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler' },
  ],
})

const deployedObjects = (
  proxy: DeployedProxy,
  layers: readonly ParametersLayer[],
  sessionKey: string | undefined,
  reads: GraphReads,
): readonly KubernetesObject[] => {
  const { gateway, settings, parameters } = proxy
  const name = deploymentName(gateway.metadata.name)
  const metadata = deployedMetadata(gateway, name, settings.version)
  const configuration = proxyConfig(parameters)
  const ca = certificateAuthorities(settings, reads)
  return [
    object('v1', 'ServiceAccount', metadata, { automountServiceAccountToken: false }),
    object('v1', 'ConfigMap', metadata, { data: { 'config.yaml': configuration } }),
    ...(ca === undefined
      ? []
      : [
          object(
            'v1',
            'ConfigMap',
            { ...metadata, name: xdsCaName(gateway.metadata.name) },
            {
              data: { 'ca.crt': ca },
            },
          ),
        ]),
    ...proxyServices(gateway, gatewayPorts(objectKey(gateway), reads), settings),
    proxyWorkload(proxy, configuration, sessionKey),
    ...(hasOverlay(layers, 'podDisruptionBudget') ? [proxyDisruptionBudget(proxy)] : []),
    ...(hasOverlay(layers, 'horizontalPodAutoscaler') ? [proxyAutoscaler(proxy)] : []),
  ]
}

/** The certificate authorities of xDS; undefined without TLS, and until there is one that proxies can read. */
const certificateAuthorities = (
  { xds: { certificateSecret } }: DeploymentSettings,
  reads: GraphReads,
): string | undefined => {
  const secret = certificateSecret === undefined ? undefined : reads.object('Secret', certificateSecret)
  return secret && xdsAuthorities(secret)
}

const object = (
  apiVersion: string,
  kind: string,
  metadata: KubernetesObject['metadata'],
  fields: object,
): KubernetesObject => ({ apiVersion, kind, metadata, ...fields })

const invalid = (message: string): DeploymentPlan => ({ failure: { reason: 'InvalidParameters', message } })
