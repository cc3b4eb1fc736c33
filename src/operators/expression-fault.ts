import { Fault } from '../model/exchange/fault.ts'

/**
 * The fault of a policy whose expression could not be evaluated and is required. Where the expression reads the
 * client's body, the status is 400, else 500. The exact cause is for the log.
 */
export const filterFault = (what: string, cause: string, readsBody: boolean): Fault =>
  new Fault('filter_failed', `failed to apply filters: ${what}`, {
    status: readsBody ? 400 : 500,
    reason: readsBody ? 'InvalidRequest' : 'Internal',
    cause,
  })
