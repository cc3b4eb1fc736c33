import type { Owner } from '../../../model/resources/replica.ts'

/**
 * Names the replica that owns something. Where replicas cannot reach one another it also gives a hint: the owner may be
 * an earlier process of this replica.
 */
export const belongsTo = ({ replica }: Owner, self: Owner): string =>
  self.address === undefined
    ? `belongs to replica ${replica}, which has ended, or is not reached from here: for that, set config.session.key and config.session.address on every replica`
    : `belongs to replica ${replica}`
