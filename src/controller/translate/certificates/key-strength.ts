import type { KeyObject } from 'node:crypto'

/** Why OpenSSL does not take a key for TLS, completing the sentence `it …`; undefined if it does. */
export const keyWeakness = ({
  asymmetricKeyType: type,
  asymmetricKeyDetails: details = {},
}: KeyObject): string | undefined => {
  switch (type) {
    case 'rsa':
    case 'rsa-pss':
      return (details.modulusLength ?? 0) < MIN_RSA_BITS ? `has less than ${MIN_RSA_BITS} bits` : undefined
    case 'ec':
      return curveBits(details.namedCurve) < MIN_EC_BITS ? `has less than ${MIN_EC_BITS} bits` : undefined
    case 'ed25519':
    case 'ed448':
      return undefined
    default:
      return `is of type ${String(type)}, which TLS does not use`
  }
}

/** The names of curves have their sizes: `prime256v1`, `brainpoolP384r1`. One without is of WAP, and short. */
const curveBits = (name = ''): number => Number(/\d{3}/.exec(name)?.[0] ?? 0)

/** What OpenSSL demands by default: 112 bits of security. */
const MIN_RSA_BITS = 2048
const MIN_EC_BITS = 224
