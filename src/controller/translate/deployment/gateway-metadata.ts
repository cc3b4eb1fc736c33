import type { Gateway } from '../../kinds/gateway-api.ts'
import { GATEWAY_NAME_LABEL, type ObjectMeta, type OwnerReference } from '../../kinds/object.ts'
import { deploymentName } from './names.ts'

type Texts = Readonly<Record<string, string>>

/** Labels and annotations with this prefix belong to the Gateway API; users cannot set them. */
const RESERVED_PREFIX = 'gateway.networking.k8s.io/'

const GATEWAY_CLASS_LABEL = `${RESERVED_PREFIX}gateway-class-name`

/** Whether users cannot set a label: the Gateway API has it, or the control plane finds its objects by it. */
export const isGatewayLabel = (name: string): boolean =>
  name.startsWith(RESERVED_PREFIX) || name === MANAGED_BY_LABEL

const MANAGED_BY_LABEL = 'app.kubernetes.io/managed-by'

/** Selects the pods of a Gateway. It never changes, because selectors of Deployments cannot. */
export const podSelector = ({ metadata }: Gateway): Texts => {
  const name = deploymentName(metadata.name)
  return {
    'app.kubernetes.io/name': name,
    'app.kubernetes.io/instance': name,
    [GATEWAY_NAME_LABEL]: name,
  }
}

/** The labels of pods. */
export const podLabels = (gateway: Gateway): Texts => ({
  ...infrastructure(gateway, 'labels'),
  ...podSelector(gateway),
  [GATEWAY_CLASS_LABEL]: classLabel(gateway.spec.gatewayClassName),
})

/** Names of classes may be longer than labels; the API server would refuse all objects of the Gateway. */
const classLabel = (name: string): string => (name.length > MAX_LABEL ? deploymentName(name) : name)

const MAX_LABEL = 63

/** The metadata of an object that is deployed for a Gateway. */
export const deployedMetadata = (gateway: Gateway, name: string, version: string): ObjectMeta => ({
  name,
  namespace: gateway.metadata.namespace ?? '',
  labels: {
    ...podLabels(gateway),
    [MANAGED_BY_LABEL]: 'agentgateway',
    'app.kubernetes.io/version': version,
  },
  ...annotations(gateway),
  ownerReferences: [ownerOf(gateway)],
})

/** An empty map would never be there, and be applied again and again. */
const annotations = (gateway: Gateway): Pick<ObjectMeta, 'annotations'> => {
  const own = infrastructure(gateway, 'annotations')
  return Object.keys(own).length > 0 ? { annotations: own } : {}
}

/** Users' labels or annotations for everything that is deployed. */
export const infrastructure = ({ spec }: Gateway, field: 'labels' | 'annotations'): Texts =>
  Object.fromEntries(
    Object.entries(spec.infrastructure?.[field] ?? {}).filter(([key]) => !key.startsWith(RESERVED_PREFIX)),
  )

const ownerOf = ({ apiVersion, kind, metadata }: Gateway): OwnerReference => ({
  apiVersion,
  kind,
  name: metadata.name,
  uid: metadata.uid ?? '',
  controller: true,
  blockOwnerDeletion: true,
})
