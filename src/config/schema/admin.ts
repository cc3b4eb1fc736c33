import { defaults } from '../defaults.ts'
import { formatted, listOf, ours, type Properties, record, text } from './builders.ts'

const file = (description: string) => text(description, { minLength: 1 })

/** Who may call it. */
const adminAccess = ours(
  record('Access to the admin server, for one that is open to a network.', {
    auth: record(
      'Authentication of callers. Default: none, which is for loopback addresses.',
      {
        tokenFile: file(
          'File with bearer tokens, one a line, of at least 16 characters; empty lines and lines that begin with `#` do not count. Several tokens allow rotation. Reloaded when it changes.',
        ),
      },
      { required: ['tokenFile'] },
    ),
    tls: record(
      'TLS of the admin server.',
      {
        cert: file('File with the certificate chain (PEM). Reloaded when it changes.'),
        key: file('File with the private key (PEM). Reloaded when it changes.'),
        root: file(
          'File with trusted certificate authorities (PEM) for client certificates. If set, callers must present a certificate.',
        ),
        allowedNames: listOf(
          text('Name.', { minLength: 1 }),
          'Names, one of which the client certificate must have: a subject alternative name, the common name, or the whole subject such as `CN=ops, O=Example`. Default: any name.',
          { minItems: 1 },
        ),
      },
      { required: ['cert', 'key'] },
    ),
  }),
)

/** Where the admin server listens, and who may call it. */
export const adminProperties: Properties = {
  adminAddr: formatted(
    'serverAddress',
    'Listen address of the admin server: `ip:port`, `localhost:port`, `unix:/path` or `off`. Overridden by the environment variable ADMIN_ADDR.',
    {
      default: defaults.adminAddr,
    },
  ),
  adminHosts: ours(
    listOf(
      formatted('host', 'Host name.'),
      'Host names accepted in the `Host` and `Origin` headers of requests to the admin server, in addition to loopback names.',
    ),
  ),
  admin: adminAccess,
}
