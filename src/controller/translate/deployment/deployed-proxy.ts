import type { Gateway } from '../../kinds/gateway-api.ts'
import type { MergedParameters } from '../parameters/merge-parameters.ts'
import type { Mesh } from '../parameters/mesh.ts'
import type { DeploymentSettings } from './deployment-settings.ts'

/** What the objects of a Gateway's proxies are made from. */
export interface DeployedProxy {
  readonly gateway: Gateway
  readonly settings: DeploymentSettings
  readonly parameters: MergedParameters
  /** Undefined for proxies that are part of no mesh. */
  readonly mesh: Mesh | undefined
}
