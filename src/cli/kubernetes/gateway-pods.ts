import type { V1Pod } from '@kubernetes/client-node'
import { clusterFailure, isApiStatus, isUnknownKind, receivedList } from './cluster-failure.ts'
import type { Cluster } from './load-cluster.ts'
import { podsWithLabels } from './pods-with-labels.ts'
import { CommandFailure } from '../command-failure.ts'
import { GATEWAY_NAME_LABEL } from '../../controller/kinds/object.ts'
import { deploymentName } from '../../controller/translate/deployment/names.ts'

/** A Gateway, as far as it is shown when there are no pods. */
interface GatewayObject {
  readonly metadata: { readonly name: string; readonly namespace?: string }
  readonly spec?: { readonly gatewayClassName?: string }
  readonly status?: {
    readonly conditions?: readonly {
      readonly type: string
      readonly status: string
      readonly reason: string
      readonly message: string
    }[]
  }
}

const gatewayApi = { group: 'gateway.networking.k8s.io', version: 'v1', plural: 'gateways' }
const notInstalled = 'The Gateway API is not installed in this cluster.'

/** The pods of a Gateway. */
export const podsOfGateway = async (
  cluster: Cluster,
  { name, text }: { readonly name: string; readonly text: string },
  namespace: string,
): Promise<readonly V1Pod[]> => {
  const { client, config } = cluster
  let gateway: GatewayObject
  try {
    const custom = config.makeApiClient(client.CustomObjectsApi)
    gateway = (await custom.getNamespacedCustomObject({ ...gatewayApi, namespace, name })) as GatewayObject
  } catch (error) {
    const what = `failed retrieving ${text} in namespace "${namespace}"`
    if (isUnknownKind(error)) throw clusterFailure(what, error, notInstalled)
    const hint = isApiStatus(error, 404) ? await whereOthersAre(cluster, name, namespace) : undefined
    throw clusterFailure(what, error, hint)
  }
  // Long names are no values of labels.
  const pods = await podsWithLabels(cluster, namespace, `${GATEWAY_NAME_LABEL}=${deploymentName(name)}`)
  if (pods.length === 0)
    throw new CommandFailure(`no pods found for resource "${text}"`, { hint: whyNoPods(gateway) })
  return pods
}

/** The name of the only Gateway of the namespace. */
export const onlyGateway = async (cluster: Cluster): Promise<string> => {
  const { namespace } = cluster
  let gateways: readonly GatewayObject[]
  try {
    gateways = await listGateways(cluster, namespace)
  } catch (error) {
    throw clusterFailure(
      `failed listing Gateways in namespace "${namespace}"`,
      error,
      isUnknownKind(error) ? notInstalled : undefined,
    )
  }
  const [first, ...others] = gateways
  if (!first)
    throw new CommandFailure(`no Gateways found in namespace "${namespace}"; pass a resource explicitly`, {
      hint: '-n chooses another namespace, --local the gateway of this machine.',
    })
  if (others.length > 0)
    throw new CommandFailure(
      `found ${String(gateways.length)} Gateways in namespace "${namespace}"; pass a resource explicitly`,
      { hint: `There are ${listed(gateways.map(({ metadata }) => `gateway/${metadata.name}`))}.` },
    )
  return first.metadata.name
}

/** The Gateways of a namespace, or of all. */
const listGateways = async (
  { client, config }: Cluster,
  namespace: string | undefined,
): Promise<readonly GatewayObject[]> => {
  const custom = config.makeApiClient(client.CustomObjectsApi)
  const list = (await (namespace === undefined
    ? custom.listClusterCustomObject(gatewayApi)
    : custom.listNamespacedCustomObject({ ...gatewayApi, namespace }))) as {
    readonly items?: readonly GatewayObject[]
  }
  return receivedList(list.items)
}

/** What a caller may have meant: the Gateway of another namespace, or another one of this. */
const whereOthersAre = async (
  cluster: Cluster,
  name: string,
  namespace: string,
): Promise<string | undefined> => {
  const here = await listGateways(cluster, namespace).catch(() => [])
  const all = await listGateways(cluster, undefined).catch(() => [])
  const elsewhere = all.filter(({ metadata }) => metadata.name === name)
  if (elsewhere.length > 0)
    return `It is in another namespace: ${listed(elsewhere.map(({ metadata }) => `-n ${metadata.namespace ?? ''}`))}.`
  return here.length === 0
    ? 'There are no Gateways in this namespace; -n chooses another.'
    : `There are ${listed(here.map(({ metadata }) => `gateway/${metadata.name}`))}.`
}

const whyNoPods = ({ metadata, spec, status }: GatewayObject): string => {
  const wrong = (status?.conditions ?? []).filter(({ status: value }) => value === 'False')
  if (wrong.length > 0)
    return `The Gateway is not in order: ${wrong.map(({ type, reason, message }) => `${type}=False ${reason}: ${message}`).join('; ')}`
  if ((status?.conditions ?? []).every(({ reason }) => reason === 'Pending'))
    return `No controller has looked at it: does that of its class "${spec?.gatewayClassName ?? ''}" run?`
  return `kubectl get deployments,pods -n ${metadata.namespace ?? 'default'} shows what runs.`
}

const LONGEST_LIST = 8

const listed = (names: readonly string[]): string =>
  names.length > LONGEST_LIST
    ? `${names.slice(0, LONGEST_LIST).join(', ')} and ${String(names.length - LONGEST_LIST)} more`
    : names.join(', ')
