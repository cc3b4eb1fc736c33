import { defineIndex } from '../../graph/object-index.ts'
import { defineQuery, type Query } from '../../graph/query.ts'
import { namespacedKey, objectKey } from '../../kinds/object.ts'
import { ownGateway } from '../gateway/own-gateway.ts'
import { deploymentName } from './names.ts'

/**
 * The older Gateway whose objects have the names of this one's, by the key of this one. The name that a long name is cut
 * to can be given to another Gateway, whose proxies would be indistinguishable: the service account is all that
 * authenticates them. The older one has the name; of two that were made in the same second, the first by name.
 */
export const deploymentRival: Query<string | undefined> = defineQuery('deploymentRival', (reads, key) => {
  const gateway = ownGateway(reads, key)
  if (!gateway) return undefined
  const age = (one: typeof gateway) => `${one.metadata.creationTimestamp ?? ''} ${objectKey(one)}`
  const [oldest = gateway] = reads
    .indexed(gatewaysByDeployment, deploymentKey(gateway.metadata))
    .filter((one) => ownGateway(reads, objectKey(one)) !== undefined)
    .sort((one, other) => (age(one) < age(other) ? -1 : 1))
  return objectKey(oldest) === key ? undefined : objectKey(oldest)
})

const deploymentKey = ({
  namespace = '',
  name,
}: {
  readonly namespace?: string
  readonly name: string
}): string => namespacedKey(namespace, deploymentName(name))

const gatewaysByDeployment = defineIndex('Gateway', 'deployment', ({ metadata }) => [deploymentKey(metadata)])
