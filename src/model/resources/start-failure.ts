/**
 * The message of a failure to listen on an address.
 *
 * @param who The server that failed to listen.
 * @param where The address.
 * @param cause The error of the system.
 */
export const cannotListen = (who: string, where: string, cause: unknown): string => {
  const reason = cause instanceof Error ? ('code' in cause ? cause.code : cause.message) : cause
  return `${who} cannot listen on ${where}: ${reasons[String(reason)] ?? String(reason)}`
}

const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another process (or another bind) has it already',
  EACCES: 'this user may not open it',
  EADDRNOTAVAIL: 'this machine has no such address',
}

/** The gateway cannot start, and the user can fix it: the message is complete without a stack. */
export class StartFailure extends Error {
  override readonly name = 'StartFailure'
}
