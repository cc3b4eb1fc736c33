import type { BasicAuth } from './schema.ts'
import { defaults } from '../../config/defaults.ts'
import type * as File from '../../config/schema/file-types.gen.ts'
import { parseHtpasswd } from '../../config/format/htpasswd.ts'
import { type Context, fileText } from '../../config/normalize/context.ts'
import { credentialLocation } from '../../config/normalize/credential-location.ts'

/** `basicAuth`, with its users. */
export function normalizeBasicAuth(policy: File.BasicAuth, context: Context): BasicAuth {
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
