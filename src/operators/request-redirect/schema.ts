import { defaults } from '../../config/defaults.ts'
import {
  either,
  exactlyOne,
  formatted,
  type Properties,
  record,
  ref,
  whole,
  words,
} from '../../config/schema/builders.ts'

/** Answers with a redirect to the changed address; what is not said stays as the client asked for it. */
export interface Redirect {
  readonly scheme?: 'http' | 'https'
  readonly authority?: AuthorityChange
  readonly path?: PathChange
  readonly status: number
}

/** `auto` is the backend's host name, `none` leaves the client's. */
export type AuthorityChange =
  { readonly full: string } | { readonly host: string } | { readonly port: number } | 'auto' | 'none'

/** The whole path, or the part that the route matched as prefix. */
export type PathChange = { readonly full: string } | { readonly prefix: string }

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

/** Definitions about `requestRedirect`, and the changes that `urlRewrite` shares with it. */
export const requestRedirectDefinitions: Properties = {
  AuthorityChange: authorityChange,
  PathChange: pathChange,
  Redirect: redirect,
}
