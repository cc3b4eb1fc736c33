/** A dual-stack socket reports IPv4 clients as IPv6 addresses; rules and logs need the plain address. */
export const plainAddress = (address: string | undefined): string =>
  address === undefined
    ? ''
    : address.startsWith('::ffff:') && address.includes('.')
      ? address.slice(7)
      : address
