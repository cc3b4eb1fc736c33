/** A token with the form of one of a service account, given as `namespace/name`; its signature is invented. */
export const xdsToken = (account: string, claims: Readonly<Record<string, unknown>> = {}): string => {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const payload = {
    aud: ['agentgateway'],
    exp: Math.floor(Date.now() / 1000) + 3_600,
    sub: `system:serviceaccount:${account.replace('/', ':')}`,
    ...claims,
  }
  return `${part({ alg: 'RS256' })}.${part(payload)}.c2lnbmF0dXJl`
}

/** The account that a token names, as `namespace:name`. */
export const accountInToken = (token: string): string => {
  const [, payload = ''] = token.split('.')
  const { sub } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { readonly sub: string }
  return sub.replace('system:serviceaccount:', '')
}
