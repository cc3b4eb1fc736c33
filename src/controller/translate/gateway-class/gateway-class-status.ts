import { defineQuery, type GraphReads, type Query } from '../../graph/query.ts'
import { classParametersError } from '../parameters/parameters-layers.ts'
import {
  type ObservedCondition,
  observedConditions,
  type StatusCondition,
} from '../status/status-condition.ts'
import { supportedFeatures } from './supported-features.ts'

/** Our part of the status of a GatewayClass. */
export interface GatewayClassStatus {
  readonly conditions: readonly ObservedCondition[]
  readonly supportedFeatures: readonly { readonly name: string }[]
}

/** The status of a GatewayClass; `undefined` if it names another controller. Key: its name. */
export const gatewayClassStatus: Query<GatewayClassStatus | undefined> = defineQuery(
  'gatewayClassStatus',
  (reads, key) => {
    const gatewayClass = reads.object('GatewayClass', key)
    if (gatewayClass?.spec.controllerName !== reads.settings.controllerName) return undefined
    const installed = installedApi(reads)
    return {
      conditions: observedConditions(
        [acceptance(classParametersError(reads, gatewayClass)), supportedVersion(installed.versions)],
        gatewayClass.metadata.generation,
      ),
      supportedFeatures: supportedFeatures(installed.channel).map((name) => ({ name })),
    }
  },
)

const acceptance = (parametersError: string | undefined): StatusCondition =>
  parametersError === undefined
    ? {
        type: 'Accepted',
        status: 'True',
        reason: 'Accepted',
        message: 'GatewayClass accepted by agentgateway controller',
      }
    : { type: 'Accepted', status: 'False', reason: 'InvalidParameters', message: parametersError }

/** Objects of other versions are treated as if they were of this one. */
const supportedVersion = (versions: readonly string[]): StatusCondition =>
  versions.length > 0 && versions.every((version) => /^v1\.6\.\d+$/.test(version))
    ? {
        type: 'SupportedVersion',
        status: 'True',
        reason: 'SupportedVersion',
        message: `Gateway API ${versions.join(', ')} is supported`,
      }
    : {
        type: 'SupportedVersion',
        status: 'False',
        reason: 'UnsupportedVersion',
        message: `Supported is Gateway API v1.6; installed is ${versions.join(', ') || 'none'}`,
      }

/** The versions of the Gateway API's CRDs, and the channel: HTTPRoute is the kind whose fields differ. */
const installedApi = (
  reads: GraphReads,
): { readonly channel: string | undefined; readonly versions: readonly string[] } => {
  const definitions = reads
    .objects('CustomResourceDefinition')
    .filter(({ metadata }) => metadata.name.endsWith(apiGroup))
  const versions = definitions.map(({ metadata }) => metadata.annotations?.[bundleVersion] ?? 'unknown')
  return {
    channel: definitions.find(({ metadata }) => metadata.name === `httproutes${apiGroup}`)?.metadata
      .annotations?.[bundleChannel],
    versions: [...new Set(versions)].sort(),
  }
}

const apiGroup = '.gateway.networking.k8s.io'
const bundleVersion = 'gateway.networking.k8s.io/bundle-version'
const bundleChannel = 'gateway.networking.k8s.io/channel'
