/**
 * A thread that checks passwords, one after another, while the main one serves requests.
 *
 * @module
 */
import { parentPort } from 'node:worker_threads'
import { checkPassword } from './check-password.ts'

/** A password to be checked. */
export interface PasswordCheck {
  readonly password: string
  readonly hash: string
}

parentPort?.on('message', ({ password, hash }: PasswordCheck) => {
  let isRight = false
  try {
    isRight = checkPassword(password, hash)
  } catch {
    // A hash that a library cannot parse matches no password.
  }
  parentPort?.postMessage(isRight)
})
