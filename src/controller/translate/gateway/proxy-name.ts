import { createHash } from 'node:crypto'

/** The longest name of a Service. */
const maxLength = 63

/** The name of the objects of a Gateway's proxies: that of the Gateway, or a shorter one. */
export const proxyName = (gatewayName: string): string =>
  gatewayName.length <= maxLength
    ? gatewayName
    : `${gatewayName.slice(0, 50).replace(/-$/, '')}-${createHash('sha256').update(gatewayName).digest('hex').slice(0, 12)}`
