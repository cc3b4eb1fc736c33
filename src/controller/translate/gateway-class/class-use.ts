import type { Gateway } from '../../kinds/gateway-api.ts'
import { defineIndex } from '../../graph/object-index.ts'
import { defineQuery, type Query } from '../../graph/query.ts'
import { attempt } from '../attempt.ts'
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
    .flatMap((gatewayClass) => reads.tryQuery(classUse, objectKey(gatewayClass)) ?? []),
)

/** Undefined for a class that is not ours. */
const classUse: Query<ClassUse | undefined> = defineQuery('classUse', (reads, key) =>
  reads.object('GatewayClass', key)?.spec.controllerName === reads.settings.controllerName
    ? { key, isUsed: reads.indexed(gatewaysByClass, key).length > 0 }
    : undefined,
)

/** The keys of the Gateways whose class is not there: they may be ours. */
export const gatewaysWithoutClass: Query<readonly string[]> = defineQuery('gatewaysWithoutClass', (reads) =>
  reads
    .objects('Gateway')
    .filter((gateway) => {
      const [name] = classOf(gateway)
      return name !== undefined && !reads.object('GatewayClass', name)
    })
    .map(objectKey),
)

const gatewaysByClass = defineIndex('Gateway', 'class', (gateway) => classOf(gateway))

/** A Gateway of a shape without a class has none. */
const classOf = ({ spec }: Gateway): readonly string[] => attempt(() => [spec.gatewayClassName]).value ?? []
