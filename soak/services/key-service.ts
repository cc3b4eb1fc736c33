import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { createServer } from 'node:http'
import { listen, type Service } from './http-service.ts'

/** An identity provider: a key set, and tokens that are signed with its keys. */
export interface KeyService extends Service {
  /** A new token, valid for a minute. */
  token(): string
  /** Adds a key, with which the next tokens are signed. The key before it stays in the set, older ones do not. */
  rotate(): void
}

interface Key {
  readonly kid: string
  readonly privateKey: KeyObject
  readonly jwk: object
}

/** Starts one. */
export const startKeyService = async (): Promise<KeyService> => {
  let made = 0
  let tokens = 0
  const makeKey = (): Key => {
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const kid = `key-${++made}`
    return { kid, privateKey, jwk: { ...publicKey.export({ format: 'jwk' }), kid, alg: 'ES256', use: 'sig' } }
  }
  let keys: readonly [Key, ...Key[]] = [makeKey()]
  const server = createServer({ keepAliveTimeout: 30_000 }, (_req, res) => {
    res.setHeader('content-type', 'application/jwk-set+json')
    res.end(JSON.stringify({ keys: keys.map(({ jwk }) => jwk) }))
  })
  return {
    ...(await listen(server)),
    token: () => {
      const [{ kid, privateKey }] = keys
      const seconds = Math.floor(Date.now() / 1000)
      const claims = {
        iss: 'soak',
        aud: 'soak',
        sub: `user-${++tokens % 500}`,
        exp: seconds + 60,
        jti: String(tokens),
      }
      const input = [{ alg: 'ES256', kid }, claims]
        .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
        .join('.')
      const key = { key: privateKey, dsaEncoding: 'ieee-p1363' } as const
      return `${input}.${sign('sha256', Buffer.from(input), key).toString('base64url')}`
    },
    rotate: () => {
      keys = [makeKey(), keys[0]]
    },
  }
}
