import type { ImageParameters } from '../../kinds/proxy-parameters.ts'
import type { DeploymentSettings } from './deployment-settings.ts'

/** The image of proxies: each part is that of the parameters, or else of the settings. */
export const proxyImage = (
  { image }: DeploymentSettings,
  { registry = image.registry, repository = image.repository, tag = image.tag, digest }: ImageParameters,
): string =>
  `${registry === '' ? '' : `${registry}/`}${repository}:${tag}${digest === undefined ? '' : `@${digest}`}`
