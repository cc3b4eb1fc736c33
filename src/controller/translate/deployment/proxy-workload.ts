import { createHash } from 'node:crypto'
import type { KubernetesObject } from '../../kinds/object.ts'
import type { DeployedProxy } from './deployed-proxy.ts'
import { deployedMetadata, podSelector } from './gateway-metadata.ts'
import { deploymentName } from './names.ts'
import { proxyPodTemplate } from './proxy-pod.ts'

/** An object with a spec. */
export type SpecifiedObject = KubernetesObject & { readonly spec: object }

/**
 * What runs the pods of a Gateway. A Deployment has no number of replicas, so that autoscalers and users may set it.
 *
 * @param sessionKey Undefined if the parameters have one.
 */
export const proxyWorkload = (
  proxy: DeployedProxy,
  configuration: string,
  sessionKey: string | undefined,
): SpecifiedObject =>
  specified(proxy, 'apps/v1', proxy.parameters.workloadKind, {
    selector: { matchLabels: podSelector(proxy.gateway) },
    template: proxyPodTemplate(proxy, {
      config: sha256(configuration),
      sessionKey: sessionKey === undefined ? undefined : sha256(sessionKey),
    }),
  })

/** Protects the pods of a Gateway; how, an overlay says. */
export const proxyDisruptionBudget = (proxy: DeployedProxy): SpecifiedObject =>
  specified(proxy, 'policy/v1', 'PodDisruptionBudget', {
    selector: { matchLabels: podSelector(proxy.gateway) },
  })

/** Scales the Deployment of a Gateway; how, an overlay says. */
export const proxyAutoscaler = (proxy: DeployedProxy): SpecifiedObject =>
  specified(proxy, 'autoscaling/v2', 'HorizontalPodAutoscaler', {
    scaleTargetRef: {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      name: deploymentName(proxy.gateway.metadata.name),
    },
  })

const specified = (
  { gateway, settings: { version } }: DeployedProxy,
  apiVersion: string,
  kind: string,
  spec: object,
): SpecifiedObject => ({
  apiVersion,
  kind,
  metadata: deployedMetadata(gateway, deploymentName(gateway.metadata.name), version),
  spec,
})

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
