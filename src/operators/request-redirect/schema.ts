import { either, exactlyOne, formatted, record, ref, whole, words } from './kinds.ts'
import type { Properties } from './kinds.ts'
import { defaults } from '../defaults.ts'

const authorityChange = either(
  'What becomes of the host: `auto` takes the name of the backend, `none` leaves it as it is.',
  words('In a word.', ['auto', 'none']),
  record(
    'In part or as a whole.',
    {
      full: formatted('authority', 'Host and port.'),
      host: formatted('host', 'The host; the port stays.'),
      port: whole('The port; the host stays.', 1, 65535),
    },
    exactlyOne('full', 'host', 'port'),
  ),
)

const pathChange = record(
  'What becomes of the path. The query stays.',
  {
    full: formatted('absolutePath', 'The whole path.'),
    prefix: formatted('replacementPath', 'Put in place of the prefix that the route matched.'),
  },
  exactlyOne('full', 'prefix'),
)

const redirect = record('Answers with a redirect.', {
  scheme: words('The scheme of the new address. Default: that of the request.', ['http', 'https']),
  authority: ref('AuthorityChange'),
  path: ref('PathChange'),
  status: whole('The status.', 300, 399, defaults.redirectStatus),
})

const rewrite = record('Changes where the request goes without telling the client.', {
  authority: ref('AuthorityChange'),
  path: ref('PathChange'),
})

/** Definitions about redirects and rewrites. */
export const addressingDefinitions: Properties = {
  AuthorityChange: authorityChange,
  PathChange: pathChange,
  Redirect: redirect,
  Rewrite: rewrite,
}
