import { cel, exactlyOne, formatted, oneOrMany, type Properties, record, ref, text } from './builders.ts'

const places: Properties = {
  header: record(
    'A header.',
    {
      name: formatted('settableHeader', 'The header.'),
      prefix: text(
        'What stands before the credential, such as `Bearer `. Upper and lower case are the same.',
      ),
    },
    { required: ['name'] },
  ),
  queryParameter: record(
    'A parameter of the query.',
    { name: text('The parameter.', { minLength: 1 }) },
    { required: ['name'] },
  ),
  cookie: record('A cookie.', { name: formatted('headerName', 'The cookie.') }, { required: ['name'] }),
}

/** Definitions about where credentials are. */
export const credentialDefinitions: Properties = {
  CredentialLocation: oneOrMany(
    ref('OneCredentialLocation'),
    'Where a credential is in requests: in one place, or in any of several. Different credentials in several of them are refused; the same one counts once.',
  ),
  OneCredentialLocation: record(
    'Where a credential is in requests: exactly one kind of place. It is removed once it has been verified, unless an expression finds it.',
    { ...places, expression: cel('Gives the credential. Where it fails, there is none.') },
    exactlyOne(...Object.keys(places), 'expression'),
  ),
  CredentialPlace: record(
    'Where a credential is put into requests: exactly one kind of place.',
    places,
    exactlyOne(...Object.keys(places)),
  ),
}
