import { buildInfo } from '../../version.ts'
import type { DeploymentSettings } from '../translate/deployment/deployment-settings.ts'
import type { ControllerSettings } from './controller-settings.ts'

/** The name of the Secret with the certificate authority of xDS, in the namespace of the control plane. */
export const CERTIFICATE_SECRET = 'agentgateway-xds-cert'

/** Settings for the proxies that are deployed. */
export const proxySettings = ({
  proxy,
  xds,
  pod,
  translation,
  noListenersPort,
}: ControllerSettings): DeploymentSettings => ({
  image: proxy.image,
  ...(proxy.pullPolicy !== undefined && { imagePullPolicy: proxy.pullPolicy }),
  xds: {
    host: xds.host ?? `${xds.serviceName}.${pod.namespace}.svc.${translation.clusterDomain}`,
    port: xds.port,
    ...(xds.mode !== 'plaintext' && { certificateSecret: `${pod.namespace}/${CERTIFICATE_SECRET}` }),
  },
  noListenersPort,
  version: buildInfo.version,
})
