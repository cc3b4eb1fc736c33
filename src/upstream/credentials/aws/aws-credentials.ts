import type { AwsAuth } from '../../../operators/backend-auth/schema/normal-form.ts'
import { CredentialFault } from '../credential-fault.ts'
import type { TokenCache } from '../token-cache.ts'
import { within } from '../issue-token.ts'

/** Credentials that requests are signed with. */
export interface AwsCredentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string
}

/** The session of an assumed role: its name and tags come from expressions, or are constant. */
export interface AwsSession {
  readonly name: string | undefined
  readonly tags: readonly (readonly [key: string, value: string])[]
}

/** Returns credentials for a session, synchronously if they are cached. */
export type AwsCredentialSource = (session: AwsSession) => AwsCredentials | Promise<AwsCredentials>

/**
 * The credentials of a policy: those that it names, or those of the environment (variables, files, the machine's role),
 * which may be used to assume a role. The library that finds them is loaded by the first request.
 */
export const awsCredentials = (
  { accessKeyId, secretAccessKey, sessionToken, region, assumeRole }: AwsAuth,
  cache: TokenCache,
): AwsCredentialSource => {
  if (accessKeyId && secretAccessKey) {
    const fixed = {
      accessKeyId: accessKeyId.secret,
      secretAccessKey: secretAccessKey.secret,
      ...(sessionToken && { sessionToken: sessionToken.secret }),
    }
    return () => fixed
  }
  const issue = async (session: AwsSession) => {
    const began = Date.now()
    const find = await within('AWS', provider(session, region, assumeRole?.roleArn))
    const { expiration, ...credentials } = await within('AWS', find())
    const lifeMs = expiration ? expiration.getTime() - began : READ_AGAIN_MS
    return { text: JSON.stringify(credentials), lifeMs }
  }
  return (session) => {
    const key = assumeRole ? JSON.stringify([session.name ?? null, session.tags]) : ''
    const known = cache.get(key, () => issue(session))
    return typeof known === 'string' ? parsed(known) : known.then(parsed)
  }
}

/** Checks a session by the rules of STS, so that an invalid one is refused without a call. */
export const checkSession = ({ name, tags }: AwsSession): void => {
  if (name !== undefined && !SESSION_NAME.test(name)) throw unfit('the name of the AWS session')
  for (const [key, value] of tags) if (!TAG_VALUE.test(value)) throw unfit(`the AWS session tag ${key}`)
}

const SESSION_NAME = /^[\w+=,.@-]{2,64}$/
const TAG_VALUE = /^[\p{L}\p{Z}\p{N}_.:/=+\-@]{0,256}$/u

/** Keys in variables and files have no expiry, but may be replaced. */
const READ_AGAIN_MS = 300_000

const unfit = (what: string): CredentialFault =>
  new CredentialFault(`${what} has no value that AWS takes`, { isPermanent: true })

const parsed = (text: string): AwsCredentials => JSON.parse(text) as AwsCredentials // written above

const provider = async (
  { name, tags }: AwsSession,
  region: string | undefined,
  roleArn: string | undefined,
) => {
  const { fromNodeProviderChain, fromTemporaryCredentials } = await import('./credentials-library.ts')
  const surroundings = fromNodeProviderChain(region === undefined ? {} : { clientConfig: { region } })
  if (roleArn === undefined) return surroundings
  return fromTemporaryCredentials({
    masterCredentials: surroundings,
    params: {
      RoleArn: roleArn,
      ...(name !== undefined && { RoleSessionName: name }),
      ...(tags.length > 0 && { Tags: tags.map(([Key, Value]) => ({ Key, Value })) }),
    },
    ...(region !== undefined && { clientConfig: { region } }),
  })
}
