import type * as File from '../../config/schema/file-types.gen.ts'
import { conditionalField, translateConditional } from '../../controller/schema/conditional-field.ts'
import { type FormOf, requiredField } from '../../controller/schema/field.ts'
import { listField, mapField, objectField } from '../../controller/schema/object-fields.ts'
import { atLeastOneOf } from '../../controller/schema/validation-rule.ts'
import { celField, headerNameField } from '../../controller/schema/value-fields.ts'
import { headerValuesByName } from '../../controller/schema/policy-fields.ts'
import { policyForm, refuseRequests } from '../../controller/schema/policy-form.ts'

const headerExpressions = (description: string) =>
  listField(
    description,
    objectField('A header.', {
      name: requiredField(headerNameField('Name of the header.')),
      value: requiredField(celField('Expression that gives the value.')),
    }),
    { minItems: 1, maxItems: 16, keys: ['name'] },
  )

const changesField = (description: string) =>
  objectField(
    description,
    {
      metadata: mapField(
        'Values that later expressions read as `metadata.name`.',
        celField('Expression that gives the value.'),
        { minProperties: 1, maxProperties: 16 },
      ),
      set: headerExpressions('Headers to set; existing values are replaced.'),
      add: headerExpressions('Headers to add; existing values are kept.'),
      remove: listField('Headers to remove.', headerNameField('Name of the header.'), {
        minItems: 1,
        maxItems: 16,
      }),
      body: celField('Expression that gives the body.'),
    },
    { rules: [atLeastOneOf('metadata', 'set', 'add', 'remove', 'body')] },
  )

const fields = {
  request: changesField('Changes of the request.'),
  response: changesField('Changes of the response.'),
}

const someSide = atLeastOneOf('request', 'response')

const transformationField = objectField('Changes requests and responses by expressions.', fields, {
  rules: [someSide],
})

const conditionalTransformationField = conditionalField(
  'Changes requests and responses by expressions.',
  fields,
  [someSide],
)

/** `backend.transformation` of a ProxyPolicy. Backends may trust the headers that it sets or removes. */
export const backendTransformationForm = policyForm({
  field: transformationField,
  translate: (form) => ({ transformations: transformationsOf(form) }),
  whenBroken: refuseRequests,
})

/** `traffic.transformation` of a ProxyPolicy: see that of backends. */
export const transformationForm = policyForm({
  field: conditionalTransformationField,
  translate: (form) => {
    const transformations = translateConditional(form, transformationsOf)
    return transformations && { transformations }
  },
  whenBroken: refuseRequests,
})

type TransformationForm = FormOf<typeof transformationField>

const transformationsOf = ({ request, response }: TransformationForm): File.Transformations => ({
  ...(request === undefined ? {} : { request: changesOf(request) }),
  ...(response === undefined ? {} : { response: changesOf(response) }),
})

type ChangesForm = NonNullable<TransformationForm['request']>

const changesOf = ({ metadata, set, add, remove, body }: ChangesForm): File.Transformation => ({
  ...(metadata === undefined ? {} : { metadata: { ...metadata } }),
  ...(set === undefined ? {} : { set: headerValuesByName(set) }),
  ...(add === undefined ? {} : { add: headerValuesByName(add) }),
  ...(remove === undefined ? {} : { remove: [...remove] }),
  ...(body === undefined ? {} : { body }),
})
