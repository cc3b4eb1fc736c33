import { defineQuery, type Query } from '../../graph/query.ts'
import { objectKey } from '../../kinds/object.ts'
import { ownGateway } from './own-gateway.ts'

/** The keys of our Gateways. One that cannot be read counts as ours: it keeps what it had, and is reported. */
export const ownGatewayKeys: Query<readonly string[]> = defineQuery('ownGatewayKeys', (reads) =>
  reads
    .objects('Gateway')
    .map(objectKey)
    .filter((key) => reads.hasFailed(isOwnGateway, key) || reads.query(isOwnGateway, key)),
)

const isOwnGateway: Query<boolean> = defineQuery(
  'isOwnGateway',
  (reads, key) => ownGateway(reads, key) !== undefined,
)
