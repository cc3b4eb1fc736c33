import { createHash } from 'node:crypto'

const LONGEST = 63
const KEPT = 50

/**
 * The name of the objects of a Gateway. Names of Gateways may be longer than labels and names of Services may be; long
 * ones are cut and made unique by a hash.
 */
export const deploymentName = (gateway: string): string => {
  if (gateway.length <= LONGEST) return gateway
  const hash = createHash('sha256').update(gateway).digest('hex').slice(0, 12)
  return `${gateway.slice(0, KEPT).replace(/-+$/, '')}-${hash}`
}

/** The name of the Secret with the key that seals cookies and session ids of a Gateway's proxies. */
export const sessionKeyName = (gateway: string): string => `${deploymentName(gateway)}-session-key`

/** The name of the ConfigMap with the certificate authority of xDS. */
export const xdsCaName = (gateway: string): string => `${deploymentName(gateway)}-xds-ca`
