/**
 * Says that an address cannot be listened on, and why.
 *
 * @param who What wanted to listen.
 * @param where The address, as people write it.
 * @param cause What the system said.
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

/** The gateway cannot start as things are. That is the user's to mend: the message says all there is to say. */
export class StartFailure extends Error {
  override readonly name = 'StartFailure'
}
