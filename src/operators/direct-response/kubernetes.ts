import type * as File from '../../config/schema/file-types.gen.ts'
import { conditionalField, translateConditional } from '../../controller/schema/conditional-field.ts'
import { type ObjectForm, requiredField } from '../../controller/schema/field.ts'
import { listField, objectField } from '../../controller/schema/object-fields.ts'
import { integerField, stringField } from '../../controller/schema/scalar-fields.ts'
import { noneOrOneOf } from '../../controller/schema/validation-rule.ts'
import { celField, httpHeaderNameField } from '../../controller/schema/value-fields.ts'
import { headerValuesByName } from '../../controller/schema/policy-fields.ts'
import { policyForm, refuseRequests } from '../../controller/schema/policy-form.ts'

const fields = {
  status: requiredField(integerField('Status code.', { minimum: 200, maximum: 599 })),
  body: stringField('Body.', { minLength: 1, maxLength: 4096 }),
  bodyExpression: celField('Expression that gives the body.'),
  headers: listField(
    'Headers of the reply.',
    objectField('A header.', {
      name: requiredField(httpHeaderNameField('Name of the header.')),
      value: requiredField(celField('Expression that gives the value.')),
    }),
    { minItems: 1, maxItems: 16, keys: ['name'] },
  ),
}

/** `traffic.directResponse` of a ProxyPolicy. */
export const directResponseForm = policyForm({
  field: conditionalField('Replies without a backend.', fields, [noneOrOneOf('body', 'bodyExpression')]),
  translate: (form) => {
    const directResponse = translateConditional(form, directResponseOf)
    return directResponse && { directResponse }
  },
  // The reply may be what keeps requests from the backend.
  whenBroken: refuseRequests,
})

type DirectResponseForm = ObjectForm<typeof fields>

const directResponseOf = ({
  status,
  body,
  bodyExpression,
  headers,
}: DirectResponseForm): File.DirectResponse => ({
  status,
  ...(body === undefined ? {} : { body }),
  ...(bodyExpression === undefined ? {} : { bodyExpression }),
  ...(headers === undefined ? {} : { headers: headerValuesByName(headers) }),
})
