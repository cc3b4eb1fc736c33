import type * as File from '../../../config/schema/file-types.gen.ts'
import type { FormContext } from '../../../controller/schema/form-context.ts'
import { credentialLocationOf } from '../../../controller/schema/location-fields.ts'
import { clientAuthOf } from './client-auth.ts'
import type { CrossAppAccessForm, JwtSignForm, OauthTokenExchangeForm } from './token-fields.ts'

/** `oauthTokenExchange` of a file; undefined if the server or a Secret is not usable. */
export const oauthTokenExchangeOf = (
  form: OauthTokenExchangeForm,
  context: FormContext,
): File.OauthTokenExchange | undefined => {
  const service = context.endpoint(form)
  const clientAuth = form.clientAuth && clientAuthOf(form.clientAuth, context)
  if (!service || (form.clientAuth && !clientAuth)) return undefined
  const { grantType, subjectToken, actorToken, requestedTokenType, additionalParams, location, cache } = form
  return {
    ...service,
    ...pathOf(form),
    grantType: grantType === 'JwtBearer' ? 'jwtBearer' : 'tokenExchange',
    ...(subjectToken === undefined ? {} : { subjectToken: subjectTokenOf(subjectToken) }),
    ...(actorToken === undefined
      ? {}
      : {
          actorToken: {
            source: credentialLocationOf(actorToken.source),
            ...tokenTypeOf(actorToken.tokenType),
            ...(actorToken.mayAct === 'Required' ? { enforceMayAct: true } : {}),
          },
        }),
    ...listsOf(form),
    ...(requestedTokenType === undefined ? {} : { requestedTokenType: tokenTypeUri(requestedTokenType) }),
    ...(clientAuth === undefined ? {} : { clientAuth }),
    ...(additionalParams === undefined ? {} : { additionalParams: { ...additionalParams } }),
    ...(location === undefined ? {} : { authorizationLocation: credentialLocationOf(location) }),
    ...cacheOf(cache),
  }
}

/** `crossAppAccess` of a file; undefined if a server or a Secret is not usable. */
export const crossAppAccessOf = (
  form: CrossAppAccessForm,
  context: FormContext,
): File.OauthCrossAppAccess | undefined => {
  const identityProvider = serverOf(form.identityProvider, context)
  const resourceAuthorizationServer = serverOf(form.resourceAuthorizationServer, context)
  if (!identityProvider || !resourceAuthorizationServer) return undefined
  const { audience, accessTokenScopes, subjectToken, cache } = form
  return {
    identityProvider,
    resourceAuthorizationServer,
    audience,
    ...listsOf(form),
    ...(accessTokenScopes === undefined ? {} : { accessTokenScopes: [...accessTokenScopes] }),
    ...(subjectToken === undefined ? {} : { subjectToken: subjectTokenOf(subjectToken) }),
    ...cacheOf(cache),
  }
}

/** `jwtSign` of a file; undefined if there is no key. */
export const jwtSignOf = (
  { signingKeyRef, alg, kid, claims, ttl, location }: JwtSignForm,
  context: FormContext,
): File.BackendJwtSign | undefined => {
  const reserved = Object.keys(claims ?? {}).filter((name) => ['iat', 'exp', 'nbf'].includes(name))
  if (reserved.length > 0) {
    context.report(`claims must not have ${reserved.join(', ')}: the gateway sets them`)
    return undefined
  }
  const signingKey = context.secretKey({ ...signingKeyRef, key: 'signingKey' }, 'signingKey')
  if (signingKey === undefined) return undefined
  return {
    signingKey,
    ...(alg === undefined ? {} : { alg }),
    ...(kid === undefined ? {} : { kid }),
    ...(claims === undefined ? {} : { claims: { ...claims } }),
    ttl: ttl ?? '300s',
    ...(location === undefined ? {} : { location: credentialLocationOf(location) }),
  }
}

const serverOf = (
  form: CrossAppAccessForm['identityProvider'],
  context: FormContext,
): File.OauthEndpoint | undefined => {
  const service = context.endpoint(form)
  const clientAuth = clientAuthOf(form.clientAuth, context)
  return service && clientAuth && { ...service, ...pathOf(form), clientAuth }
}

/** The path of a URL is that of the endpoint. */
const pathOf = ({ path, url }: { readonly path?: string; readonly url?: string }): { path?: string } => {
  const called = path ?? /^https?:\/\/[^/]+(\/.+)$/.exec(url ?? '')?.[1]
  return called === undefined ? {} : { path: called }
}

const listsOf = ({ audiences, resources, scopes }: Partial<Record<ListName, readonly string[]>>) => ({
  ...(audiences === undefined ? {} : { audiences: [...audiences] }),
  ...(resources === undefined ? {} : { resources: [...resources] }),
  ...(scopes === undefined ? {} : { scopes: [...scopes] }),
})

type ListName = 'audiences' | 'resources' | 'scopes'

const subjectTokenOf = ({
  source,
  tokenType,
}: NonNullable<OauthTokenExchangeForm['subjectToken']>): File.OauthSubjectToken => ({
  ...(source === undefined ? {} : { source: credentialLocationOf(source) }),
  ...tokenTypeOf(tokenType),
})

const tokenTypeOf = (type: string | undefined): { tokenType?: string } =>
  type === undefined ? {} : { tokenType: tokenTypeUri(type) }

/** Short names stand for the types of RFC 8693 §3. */
const tokenTypeUri = (type: string): string =>
  Object.hasOwn(tokenTypes, type) ? `urn:ietf:params:oauth:token-type:${tokenTypes[type]}` : type

const tokenTypes: Readonly<Record<string, string>> = {
  AccessToken: 'access_token',
  RefreshToken: 'refresh_token',
  IdToken: 'id_token',
  Jwt: 'jwt',
}

const cacheOf = (cache: OauthTokenExchangeForm['cache']): { cache?: File.OauthTokenMemory } =>
  cache?.inMemory === undefined
    ? {}
    : {
        cache: {
          ...(cache.inMemory.maxEntries === undefined ? {} : { maxEntries: cache.inMemory.maxEntries }),
          ...(cache.inMemory.defaultTtl === undefined ? {} : { defaultTtl: cache.inMemory.defaultTtl }),
        },
      }
