import { networkInterfaces } from 'node:os'

/** An address of this machine that endpoints of Services may have: loopback is refused. */
export const ownAddress = (): string | undefined =>
  Object.values(networkInterfaces())
    .flatMap((addresses = []) => addresses)
    .find(({ family, internal }) => family === 'IPv4' && !internal)?.address
