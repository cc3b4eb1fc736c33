import { listField, objectField } from '../../controller/schema/object-fields.ts'
import { policyForm } from '../../controller/schema/policy-form.ts'
import { booleanField, enumField, integerField, stringField } from '../../controller/schema/scalar-fields.ts'
import { validationRule } from '../../controller/schema/validation-rule.ts'
import { httpHeaderNameField } from '../../controller/schema/value-fields.ts'

const starAlone = (what: string) => [
  validationRule(`${what} must not contain '*' alongside other ${what}`, "!('*' in self && self.size() > 1)"),
]

const corsField = objectField(
  'Cross-origin resource sharing.',
  {
    allowOrigins: listField(
      'Origins, `*`, or origins with a wildcard host such as `https://*.example.com`.',
      stringField('Origin.', {
        minLength: 1,
        maxLength: 253,
        pattern: String.raw`(^\*$)|(^[a-zA-Z][a-zA-Z0-9+\-.]*://(\*\.)?[a-zA-Z0-9.\-\[\]:]+$)`,
      }),
      { maxItems: 64, isSet: true, rules: starAlone('allowOrigins') },
    ),
    allowMethods: listField(
      'Methods, or `*`.',
      enumField('Method.', [
        'GET',
        'HEAD',
        'POST',
        'PUT',
        'DELETE',
        'CONNECT',
        'OPTIONS',
        'TRACE',
        'PATCH',
        '*',
      ]),
      { maxItems: 9, isSet: true, rules: starAlone('allowMethods') },
    ),
    allowHeaders: listField('Headers of requests, or `*`.', httpHeaderNameField('Name of the header.'), {
      maxItems: 64,
      isSet: true,
      rules: starAlone('allowHeaders'),
    }),
    exposeHeaders: listField(
      'Headers of responses that scripts may read.',
      httpHeaderNameField('Name of the header.'),
      { maxItems: 64, isSet: true },
    ),
    allowCredentials: booleanField('Whether requests may include cookies and other credentials.'),
    maxAge: integerField('How many seconds browsers may keep the reply to a preflight request.', {
      minimum: 1,
      maximum: 2 ** 31 - 1,
      default: 5,
    }),
  },
  { preservesUnknown: true },
)

/** `traffic.cors` of a ProxyPolicy: the CORS filter of the Gateway API. */
export const corsForm = policyForm({
  field: corsField,
  translate: ({ maxAge = 5, ...form }) => ({
    cors: {
      ...(form.allowOrigins?.length ? { allowOrigins: [...form.allowOrigins] } : {}),
      ...(form.allowMethods?.length ? { allowMethods: [...form.allowMethods] } : {}),
      ...(form.allowHeaders?.length ? { allowHeaders: [...form.allowHeaders] } : {}),
      ...(form.exposeHeaders?.length ? { exposeHeaders: [...form.exposeHeaders] } : {}),
      ...(form.allowCredentials === true ? { allowCredentials: true } : {}),
      maxAge: `${maxAge}s`,
    },
  }),
})
