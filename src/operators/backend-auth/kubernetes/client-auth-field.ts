import { type FormOf, requiredField } from '../../../controller/schema/field.ts'
import { objectField } from '../../../controller/schema/object-fields.ts'
import { secretKeyRefField } from '../../../controller/schema/reference-fields.ts'
import { enumField, stringField } from '../../../controller/schema/scalar-fields.ts'
import { validationRule } from '../../../controller/schema/validation-rule.ts'

/** Algorithms that tokens are signed with. */
export const signatureAlgorithms = ['ES256', 'ES384', 'PS256', 'RS256', 'RS384', 'RS512'] as const

const isPrivateKey = "has(self.method) && self.method == 'PrivateKeyJwt'"

/** How the gateway proves who it is to an authorization server. */
export const clientAuthField = objectField(
  'How the gateway authenticates as a client.',
  {
    clientId: requiredField(stringField('Client.', { minLength: 1, maxLength: 1024 })),
    method: enumField('Method. By default ClientSecretBasic.', [
      'ClientSecretBasic',
      'ClientSecretPost',
      'PrivateKeyJwt',
    ]),
    secretRef: secretKeyRefField('Secret of the client, under `clientSecret` by default.'),
    privateKeyJwt: objectField(
      'A signed assertion.',
      {
        signingKeyRef: requiredField(secretKeyRefField('Private key, under `signingKey` by default.')),
        assertionAudience: requiredField(
          stringField('Audience of the assertion.', { minLength: 1, maxLength: 1024 }),
        ),
        alg: enumField('Algorithm. By default RS256.', signatureAlgorithms),
        kid: stringField('Name of the key.', { maxLength: 256 }),
        certificateRef: secretKeyRefField('Certificate of the key, under `certificate` by default.'),
        certificateHeader: enumField('Header of the assertion that has the certificate.', [
          'x5c',
          'x5t#S256',
        ]),
      },
      {
        rules: [
          validationRule(
            'certificateRef and certificateHeader must be set together',
            'has(self.certificateRef) == has(self.certificateHeader)',
          ),
        ],
      },
    ),
  },
  {
    rules: [
      validationRule(
        'privateKeyJwt must be set with method PrivateKeyJwt, and only with it',
        `has(self.privateKeyJwt) == (${isPrivateKey})`,
      ),
      validationRule(
        'secretRef cannot be set with method PrivateKeyJwt',
        `!(${isPrivateKey}) || !has(self.secretRef)`,
      ),
      validationRule(
        'without secretRef, method must be ClientSecretPost or PrivateKeyJwt',
        "has(self.secretRef) || (has(self.method) && self.method in ['ClientSecretPost', 'PrivateKeyJwt'])",
      ),
    ],
  },
)

/** What `clientAuth` holds. */
export type ClientAuthForm = FormOf<typeof clientAuthField>
