import { createHash } from 'node:crypto'

/** What names of Services and values of labels may be. */
const LABEL = /^[a-z](?:[-a-z0-9]{0,61}[a-z0-9])?$/
const KEPT = 50

/**
 * The name of the objects of a Gateway. Names of Gateways may be longer than labels and names of Services may be, have
 * dots, and begin with a digit. From others than labels a name is made, which a hash makes unique.
 */
export const deploymentName = (gateway: string): string => {
  if (LABEL.test(gateway)) return gateway
  const hash = createHash('sha256').update(gateway).digest('hex').slice(0, 12)
  const text = (/^[a-z]/.test(gateway) ? gateway : `gateway-${gateway}`).replaceAll('.', '-')
  return `${text.slice(0, KEPT).replace(/-+$/, '')}-${hash}`
}

/** The name of the Secret with the key that seals cookies and session ids of a Gateway's proxies. */
export const sessionKeyName = (gateway: string): string => `${deploymentName(gateway)}-session-key`

/** The name of the ConfigMap with the certificate authority of xDS. */
export const xdsCaName = (gateway: string): string => `${deploymentName(gateway)}-xds-ca`
