import type { ResourceTree } from '../../../config/xds/resource-tree.ts'
import { defineQuery, type Query } from '../../graph/query.ts'
import { gatewayReach } from '../policy/gateway-reach.ts'
import { translatedBackend } from './translated-backend.ts'

/**
 * The ProxyBackends that a Gateway reaches. One that cannot be computed is left out: what refers to it fails. Key: that of
 * the Gateway.
 */
export const gatewayBackendResources: Query<ResourceTree> = defineQuery(
  'gatewayBackendResources',
  (reads, gateway) =>
    reads.objects('ProxyBackend').length === 0
      ? []
      : reads.query(gatewayReach, gateway).flatMap((id) => {
          if (!id.startsWith('ProxyBackend/')) return []
          const key = id.slice('ProxyBackend/'.length)
          return reads.tryQuery(translatedBackend, key)?.resource ?? []
        }),
)
