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

/** Replies with a redirect to the changed URL; unset parts stay as in the request. */
export interface Redirect {
  readonly scheme?: 'http' | 'https'
  readonly authority?: AuthorityChange
  readonly path?: PathChange
  /** Whose port the target has, where neither `authority` nor another scheme decides. Default: that of the request. */
  readonly port?: 'listener'
  readonly status: number
}

/** `auto` is the backend's host name, `none` keeps the client's. */
export type AuthorityChange =
  { readonly full: string } | { readonly host: string } | { readonly port: number } | 'auto' | 'none'

/** Replaces the whole path, or the prefix that the route matched. */
export type PathChange = { readonly full: string } | { readonly prefix: string }

const authorityChange = either(
  'Change of the host: `auto` uses the host of the backend, `none` keeps the host of the request.',
  words('Predefined change.', ['auto', 'none']),
  record(
    'Explicit change; set exactly one field.',
    {
      full: formatted('authority', 'Replaces host and port.'),
      host: formatted('host', 'Replaces the host; the port is kept.'),
      port: whole('Replaces the port; the host is kept.', 1, 65535),
    },
    exactlyOne('full', 'host', 'port'),
  ),
)

const pathChange = record(
  'Change of the path; set exactly one field. The query is kept.',
  {
    full: formatted('absolutePath', 'Replaces the whole path.'),
    prefix: formatted('replacementPath', 'Replaces the prefix that the route matched.'),
  },
  exactlyOne('full', 'prefix'),
)

const redirect = record('Replies with a redirect.', {
  scheme: words('Scheme of the target. Default: that of the request.', ['http', 'https']),
  authority: ref('AuthorityChange'),
  path: ref('PathChange'),
  port: words(
    'Port of the target, unless `authority` has one or the scheme changes: that which the client named, or that of the listener.',
    ['request', 'listener'],
    'request',
  ),
  status: whole('Status code.', 300, 399, defaults.redirectStatus),
})

/** Definitions of `requestRedirect`, and of the changes that `urlRewrite` shares with it. */
export const requestRedirectDefinitions: Properties = {
  AuthorityChange: authorityChange,
  PathChange: pathChange,
  Redirect: redirect,
}
