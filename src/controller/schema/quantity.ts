/**
 * A quantity of Kubernetes as a number of bytes, at most what 32 bits hold: `65536`, `64Ki`, `1.5M`. Undefined for what
 * is none, or less than a byte.
 */
export const byteCount = (quantity: number | string): number | undefined => {
  const match = /^\+?(\d+\.?\d*|\.\d+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?\d+)?$/.exec(String(quantity).trim())
  if (!match) return undefined
  const [, digits = '', suffix = ''] = match
  const factor = factors[suffix] ?? Number(`1${suffix}`)
  const bytes = Math.ceil(Number(digits) * factor)
  return bytes >= 1 ? Math.min(bytes, MAX_BYTES) : undefined
}

const factors: Readonly<Record<string, number>> = {
  '': 1,
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
}

const MAX_BYTES = 2 ** 32 - 1
