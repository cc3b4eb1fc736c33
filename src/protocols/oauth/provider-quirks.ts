/** Identity providers that deviate from the standards. */
export type ProviderQuirks = 'auth0' | 'keycloak' | 'okta' | 'descope' | 'authentik' | 'entra'

/** The endpoints of an issuer's public documents. */
export interface IssuerEndpoints {
  /** Its metadata; the first that responds is used. */
  readonly metadata: readonly string[]
  /** Its keys. */
  readonly jwks: string
  /** The registration endpoint, if it is known without metadata. */
  readonly registration?: string
}

/** The endpoints of an issuer's metadata and keys, by the rules of its provider. */
export const issuerEndpoints = (issuer: string, provider: ProviderQuirks | undefined): IssuerEndpoints => {
  const base = withoutSlash(issuer)
  const openid = `${base}/.well-known/openid-configuration`
  switch (provider) {
    case 'okta':
      return {
        metadata: [openid],
        jwks: `${base}/.well-known/jwks.json`,
        registration: `${new URL(issuer).origin}/oauth2/v1/clients`,
      }
    case 'keycloak':
      return {
        metadata: [openid],
        jwks: `${base}/protocol/openid-connect/certs`,
        registration: `${base}/clients-registrations/openid-connect`,
      }
    case 'descope':
      return { metadata: [openid], jwks: `${descopeProject(issuer)}/.well-known/jwks.json` }
    case 'authentik':
      return { metadata: [openid], jwks: `${base}/jwks/` }
    case 'entra': {
      const tenant = entraTenant(issuer)
      return {
        metadata: [`${tenant}/v2.0/.well-known/openid-configuration`],
        jwks: `${tenant}/discovery/v2.0/keys`,
      }
    }
    default:
      return {
        metadata: [wellKnownUrl(issuer, AUTHORIZATION_SERVER), openid],
        jwks: `${base}/.well-known/jwks.json`,
      }
  }
}

/** The well-known path of an authorization server's metadata (RFC 8414). */
export const AUTHORIZATION_SERVER = '/.well-known/oauth-authorization-server'
/** The well-known path of a protected resource's metadata (RFC 9728). */
export const PROTECTED_RESOURCE = '/.well-known/oauth-protected-resource'

/** The well-known URL of a resource or issuer: inserted before its path, not appended. */
export const wellKnownUrl = (identifier: string, suffix: string): string => {
  const { origin, pathname } = new URL(identifier)
  return `${origin}${suffix}${withoutSlash(pathname)}`
}

/** A text without a trailing slash. */
export const withoutSlash = (text: string): string => (text.endsWith('/') ? text.slice(0, -1) : text)

/** Keys belong to projects; issuers are applications of projects. */
const descopeProject = (issuer: string): string => {
  const { origin, pathname } = new URL(issuer)
  const [project = ''] = pathname
    .split('/')
    .filter((one) => one !== '' && !['v1', 'apps', 'agentic'].includes(one))
  return `${origin}/${project}`
}

/** Tokens of version 1 of the protocol have a different issuer. */
const entraTenant = (issuer: string): string => {
  const { origin, hostname, pathname } = new URL(issuer)
  const tenant = withoutSlash(withoutSlash(pathname).replace(/\/v2\.0$/, ''))
  return `${hostname === 'sts.windows.net' ? 'https://login.microsoftonline.com' : origin}${tenant}`
}
