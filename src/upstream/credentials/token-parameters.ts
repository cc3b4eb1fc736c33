import type { OauthTokenExchange } from '../../operators/backend-auth/schema/normal-form.ts'

/** The tokens of an exchange, and further parameters of the request. */
export interface TradedTokens {
  readonly subject: string
  readonly actor: string | undefined
  readonly more: Parameters
}

/** Names and values, in order; a name may be repeated. */
export type Parameters = readonly (readonly [name: string, value: string])[]

type Policy = Pick<
  OauthTokenExchange,
  'subjectToken' | 'actorToken' | 'audiences' | 'resources' | 'scopes' | 'requestedTokenType'
>

/** The parameters of a token exchange (RFC 8693 §2.1). */
export const exchangeParameters = (policy: Policy, { subject, actor, more }: TradedTokens): Parameters => {
  const { subjectToken, actorToken, requestedTokenType } = policy
  return [
    ['grant_type', 'urn:ietf:params:oauth:grant-type:token-exchange'],
    ['subject_token', subject],
    ['subject_token_type', subjectToken.tokenType],
    ...(actor === undefined || !actorToken
      ? []
      : ([
          ['actor_token', actor],
          ['actor_token_type', actorToken.tokenType],
        ] as const)),
    ...(requestedTokenType === undefined ? [] : [['requested_token_type', requestedTokenType] as const]),
    ...targetParameters(policy),
    ...more,
  ]
}

/** The parameters of a request with an assertion (RFC 7523 §2.1). */
export const assertionParameters = (
  policy: Pick<Policy, 'audiences' | 'resources' | 'scopes'>,
  { subject, more }: Pick<TradedTokens, 'subject' | 'more'>,
): Parameters => [
  ['grant_type', 'urn:ietf:params:oauth:grant-type:jwt-bearer'],
  ['assertion', subject],
  ...targetParameters(policy),
  ...more,
]

/** The target of a token. */
export const targetParameters = ({
  audiences,
  resources,
  scopes,
}: Pick<Policy, 'audiences' | 'resources' | 'scopes'>): Parameters => [
  ...audiences.map((audience) => ['audience', audience] as const),
  ...resources.map((resource) => ['resource', resource] as const),
  ...(scopes.length ? [['scope', scopes.join(' ')] as const] : []),
]
