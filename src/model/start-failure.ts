/** The gateway cannot start as things are. That is the user's to mend: the message says all there is to say. */
export class StartFailure extends Error {
  override readonly name = 'StartFailure'
}
