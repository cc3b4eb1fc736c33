/** Identity providers that do something of their own. */
export type IdentityProvider = 'auth0' | 'keycloak' | 'okta' | 'descope' | 'authentik' | 'entra'

/** Where an issuer has what is public about it. */
export interface IssuerPlaces {
  /** Its metadata; the first that answers counts. */
  readonly metadata: readonly string[]
  /** Its keys. */
  readonly jwks: string
  /** Where clients register, if that is known without its metadata. */
  readonly registration?: string
}

/** Where an issuer has its metadata and its keys, as its provider does it. */
export const issuerPlaces = (issuer: string, provider: IdentityProvider | undefined): IssuerPlaces => {
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

/** The well-known place of an authorization server's metadata (RFC 8414). */
export const AUTHORIZATION_SERVER = '/.well-known/oauth-authorization-server'
/** The well-known place of a protected resource's metadata (RFC 9728). */
export const PROTECTED_RESOURCE = '/.well-known/oauth-protected-resource'

/** A well-known address of a resource or issuer: in front of its path, not behind it. */
export const wellKnownUrl = (identifier: string, place: string): string => {
  const { origin, pathname } = new URL(identifier)
  return `${origin}${place}${withoutSlash(pathname)}`
}

/** A text without the slash at its end. */
export const withoutSlash = (text: string): string => (text.endsWith('/') ? text.slice(0, -1) : text)

/** Keys belong to projects; issuers are applications of projects. */
const descopeProject = (issuer: string): string => {
  const { origin, pathname } = new URL(issuer)
  const [project = ''] = pathname
    .split('/')
    .filter((one) => one !== '' && !['v1', 'apps', 'agentic'].includes(one))
  return `${origin}/${project}`
}

/** Tokens of the first version of the protocol have an issuer of their own. */
const entraTenant = (issuer: string): string => {
  const { origin, hostname, pathname } = new URL(issuer)
  const tenant = withoutSlash(withoutSlash(pathname).replace(/\/v2\.0$/, ''))
  return `${hostname === 'sts.windows.net' ? 'https://login.microsoftonline.com' : origin}${tenant}`
}
