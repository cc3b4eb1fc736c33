import { type FormOf, requiredField, type SchemaFields } from '../../../controller/schema/field.ts'
import { listField, objectField } from '../../../controller/schema/object-fields.ts'
import { objectNameField } from '../../../controller/schema/reference-fields.ts'
import { integerField } from '../../../controller/schema/scalar-fields.ts'
import {
  exactlyOneOf,
  type ValidationRule,
  validationRule,
} from '../../../controller/schema/validation-rule.ts'
import { celField, longStringField } from '../../../controller/schema/value-fields.ts'

const targetFields = {
  modelRef: requiredField(
    objectField('A ProxyModel of the same namespace.', {
      name: requiredField(objectNameField('Name of the ProxyModel.')),
    }),
  ),
  model: longStringField('Model that is requested of it, where it has a pattern.'),
}

const targetsField = <F extends SchemaFields>(
  description: string,
  fields: F,
  rules: readonly ValidationRule[] = [],
) =>
  requiredField(
    listField(description, objectField('A target.', { ...targetFields, ...fields }), {
      minItems: 1,
      maxItems: 64,
      rules,
    }),
  )

const MAX = 1_000_000

const routings = {
  weighted: objectField('One of the targets by chance.', {
    targets: targetsField('Targets that share the load.', {
      weight: integerField('Share of the requests.', { minimum: 1, maximum: MAX, default: 1 }),
    }),
  }),
  failover: objectField('The most preferred target that is healthy.', {
    targets: targetsField('Targets. Those of the same priority share the load.', {
      priority: requiredField(integerField('Priority, the lowest first.', { minimum: 0, maximum: MAX })),
    }),
  }),
  conditional: objectField('The first target whose condition holds.', {
    targets: targetsField(
      'Targets, in order.',
      { when: celField('Condition. The last target may have none: it is for all other requests.') },
      [
        validationRule(
          'only the last target may have no condition',
          'self.filter(t, !has(t.when)).size() <= (has(self[self.size() - 1].when) ? 0 : 1)',
        ),
      ],
    ),
  }),
}

/** `virtualModel` of a ProxyModel. */
export const virtualModelField = objectField('A name for several models.', routings, {
  rules: [exactlyOneOf(...Object.keys(routings).sort())],
})

/** What `virtualModelField` holds. */
export type VirtualModelForm = FormOf<typeof virtualModelField>
