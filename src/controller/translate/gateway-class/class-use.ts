import { defineIndex } from '../../graph/object-index.ts'
import { defineQuery, type Query } from '../../graph/query.ts'
import { objectKey } from '../../kinds/object.ts'

/** Whether Gateways use a GatewayClass of ours, which must not be deleted then. */
export interface ClassUse {
  /** The name of the class. */
  readonly key: string
  readonly isUsed: boolean
}

/** The use of all classes of ours. What did not change is the same object. */
export const classUses: Query<readonly ClassUse[]> = defineQuery('classUses', (reads) =>
  reads
    .objects('GatewayClass')
    .filter(({ spec }) => spec.controllerName === reads.settings.controllerName)
    .map((gatewayClass) => reads.query(classUse, objectKey(gatewayClass))),
)

const classUse: Query<ClassUse> = defineQuery('classUse', (reads, key) => ({
  key,
  isUsed: reads.indexed(gatewaysByClass, key).length > 0,
}))

/** The keys of the Gateways whose class is not there: they may be ours. */
export const gatewaysWithoutClass: Query<readonly string[]> = defineQuery('gatewaysWithoutClass', (reads) =>
  reads
    .objects('Gateway')
    .filter(({ spec }) => !reads.object('GatewayClass', spec.gatewayClassName))
    .map(objectKey),
)

const gatewaysByClass = defineIndex('Gateway', 'class', ({ spec }) => [spec.gatewayClassName])
