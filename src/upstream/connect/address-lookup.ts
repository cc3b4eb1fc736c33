/**
 * The `lookup` of a socket that gets addresses only, and no names: the default goes to the system's resolver for each
 * datagram that is not sent on a connected socket.
 */
export const addressLookup =
  (type: 'udp4' | 'udp6') =>
  (
    host: string,
    _: unknown,
    callback: (error: Error | null, address: string, family: number) => void,
  ): void => {
    callback(null, host, type === 'udp6' ? 6 : 4)
  }
