import { createHash } from 'node:crypto'
import type { Gateway } from '../../kinds/gateway-api.ts'
import { type KubernetesObject, namespacedKey, objectKey } from '../../kinds/object.ts'
import { defineQuery, type GraphReads, type Query } from '../../graph/query.ts'
import { xdsAuthorities } from '../certificates/xds-authorities.ts'
import { ownGateway } from '../gateway/own-gateway.ts'
import { gatewayPorts } from './gateway-ports.ts'
import type { DeploymentPlan, PrunedObjects } from './deployment-plan.ts'
import type { DeploymentSettings } from './deployment-settings.ts'
import { deploymentRival } from './deployment-rival.ts'
import { deployedMetadata, GATEWAY_NAME_LABEL, podSelector } from './gateway-metadata.ts'
import { deploymentName, sessionKeyName, xdsCaName } from './names.ts'
import { proxyPodTemplate } from './proxy-pod.ts'
import { proxyServices } from './proxy-service.ts'
import { sessionKeyOf, sessionKeySecret } from './session-key.ts'

/**
 * The objects that run the proxies of a Gateway, by the key of the Gateway: service account, configuration, Service and
 * Deployment. Undefined for Gateways that are not ours, or are being deleted: Kubernetes collects their objects with their owner.
 *
 * The Deployment has no number of replicas, so that autoscalers and users may set it.
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
    const secret = reads.object(
      'Secret',
      namespacedKey(gateway.metadata.namespace, sessionKeyName(gateway.metadata.name)),
    )
    // One of a Gateway that had the name before goes with it.
    if (!secret || isOfAnother(secret, gateway))
      return { missingSessionKey: sessionKeySecret(gateway, settings.version) }
    const sessionKey = sessionKeyOf(secret)
    if (sessionKey === undefined) return invalid(`Secret ${secret.metadata.name} has no valid session key`)
    return { objects: deployedObjects(gateway, sessionKey, settings, reads), prune: prunedObjects(gateway) }
  })

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
  gateway: Gateway,
  sessionKey: string,
  settings: DeploymentSettings,
  reads: GraphReads,
): readonly KubernetesObject[] => {
  const name = deploymentName(gateway.metadata.name)
  const metadata = deployedMetadata(gateway, name, settings.version)
  const configuration = `config: {}\n`
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
    object('apps/v1', 'Deployment', metadata, {
      spec: {
        selector: { matchLabels: podSelector(gateway) },
        template: proxyPodTemplate(gateway, settings, {
          config: sha256(configuration),
          sessionKey: sha256(sessionKey),
        }),
      },
    }),
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

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
