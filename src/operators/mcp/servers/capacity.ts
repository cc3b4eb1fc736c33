import { Fault } from '../../../model/exchange/fault.ts'

/** Whether the limit of running programs is reached. */
export const isAtCapacity = (fault: unknown): boolean =>
  fault instanceof Fault && fault.code === 'mcp_too_many_children'

/** Delay until a program that is ending has exited. */
export const CAPACITY_RETRY_MS = 700
