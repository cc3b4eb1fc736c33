import assert from 'node:assert/strict'
import { GuardFailure } from '../../src/operators/llm/guardrails/guard.ts'

/** The failure of a check. Any other error fails the test. */
export const failureOf = async (checking: Promise<unknown>): Promise<GuardFailure> => {
  try {
    assert.fail(`gave ${JSON.stringify(await checking)}`)
  } catch (failure) {
    if (failure instanceof GuardFailure) return failure
    throw failure
  }
}
