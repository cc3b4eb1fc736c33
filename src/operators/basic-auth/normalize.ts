import type { BasicAuth } from '../../model/basic-auth.ts'
import { defaults } from '../defaults.ts'
import type * as File from '../file-types.gen.ts'
import { parseHtpasswd } from '../format/htpasswd.ts'
import { fileText } from './context.ts'
import type { Context } from './context.ts'
import { credentialLocation } from './credential-location.ts'

/** `basicAuth`, with its users. */
export function basicAuth(policy: File.BasicAuth, context: Context): BasicAuth {
  const { htpasswd, realm = defaults.basicAuthRealm, mode = 'optional', authorizationLocation } = policy
  const text = typeof htpasswd === 'string' ? htpasswd : fileText(context, htpasswd.file)
  return {
    users: parseHtpasswd(text).users.map(({ name, hash }) => ({ name, hash: { secret: hash } })),
    realm,
    mode,
    location: credentialLocation(
      authorizationLocation ?? { header: { name: 'authorization', prefix: 'Basic ' } },
    ),
  }
}
