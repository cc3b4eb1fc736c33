import { Fault } from '../model/fault.ts'

/**
 * The fault of a policy whose expression could not be evaluated and may not be left out. Where the expression reads the
 * client's body, that body is to blame and the status is 400, else 500. What went wrong exactly is for the log.
 */
export const filterFault = (what: string, cause: string, readsBody: boolean): Fault =>
  new Fault('filter_failed', `failed to apply filters: ${what}`, {
    status: readsBody ? 400 : 500,
    reason: readsBody ? 'InvalidRequest' : 'Internal',
    cause,
  })
