import { cel, exactlyOne, formatted, oneOrMany, type Properties, record, ref, text } from './builders.ts'

const locations: Properties = {
  header: record(
    'A request header.',
    {
      name: formatted('settableHeader', 'Header name.'),
      prefix: text('Prefix that precedes the credential, such as `Bearer `. Case-insensitive.'),
    },
    { required: ['name'] },
  ),
  queryParameter: record(
    'A query parameter.',
    { name: text('Parameter name.', { minLength: 1 }) },
    { required: ['name'] },
  ),
  cookie: record('A cookie.', { name: formatted('headerName', 'Cookie name.') }, { required: ['name'] }),
}

/** Definitions of credential locations. */
export const credentialDefinitions: Properties = {
  CredentialLocation: oneOrMany(
    ref('OneCredentialLocation'),
    'Where requests carry the credential: one location or a list. A request with different credentials in several locations is refused; the same credential in several counts once.',
  ),
  OneCredentialLocation: record(
    'One location of a credential in requests; set exactly one kind. The credential is removed from the request after verification, except for `expression`.',
    {
      ...locations,
      expression: cel('Expression that returns the credential. If it fails, the request has no credential.'),
    },
    exactlyOne(...Object.keys(locations), 'expression'),
  ),
  CredentialField: record(
    'Where the gateway puts a credential into requests; set exactly one kind.',
    locations,
    exactlyOne(...Object.keys(locations)),
  ),
}
