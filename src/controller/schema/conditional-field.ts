import { type SchemaField, type SchemaFields, type ObjectForm, requiredField } from './field.ts'
import { listField, objectField } from './object-fields.ts'
import { conditionalAlone, type ValidationRule, validationRule } from './validation-rule.ts'
import { celField } from './value-fields.ts'

/** A policy, or several of which the first applies whose condition holds. */
export type ConditionalForm<Form> = Partial<Form> & {
  readonly conditional?: readonly { readonly condition?: string; readonly policy: Form }[]
}

/**
 * A policy that may be conditional: its own fields, or the list `conditional` of policies. Required fields are required
 * in entries only, and in a policy without `conditional` by the message `x is required unless conditional is set`.
 *
 * @param rules Those of the policy; `unless` are added where there is no `conditional`.
 */
export const conditionalField = <F extends SchemaFields>(
  description: string,
  fields: F,
  rules: readonly ValidationRule[] = [],
): SchemaField<ConditionalForm<ObjectForm<F>>> => {
  const names = Object.keys(fields)
  const required = names.filter((name) => fields[name]?.isRequired)
  const entry = objectField('A policy with its condition.', {
    condition: celField('When it applies. Without it, always: such an entry is the last one.'),
    policy: requiredField(objectField('The policy.', fields, { rules })),
  })
  const optional = Object.fromEntries(
    Object.entries(fields).map(([name, { schema, form }]) => [name, { schema, form }]),
  )
  const field = objectField(
    description,
    {
      ...optional,
      conditional: listField('Policies, of which the first applies whose condition holds.', entry, {
        minItems: 1,
        maxItems: 16,
        rules: [unconditionalLast],
      }),
    },
    {
      rules: [
        conditionalAlone(...names),
        ...required.map((name) =>
          validationRule(
            `${name} is required unless conditional is set`,
            `has(self.conditional) || has(self.${name})`,
          ),
        ),
        ...rules.map(({ rule, message }) => validationRule(message, `has(self.conditional) || (${rule})`)),
      ],
    },
  )
  return field
}

const unconditionalLast = validationRule(
  'at most one entry may have no condition, and it must be the last one',
  'self.all(i, has(i.condition)) || (self.filter(i, !has(i.condition)).size() == 1 && !has(self[self.size() - 1].condition))',
)

/**
 * A policy that may be conditional, in the notation of the file. If one of several cannot be translated, none is: another
 * would apply in its place.
 */
export const translateConditional = <Form, Model extends object>(
  form: ConditionalForm<Form>,
  translateOne: (form: Form) => Model | undefined,
): Model | { conditional: (Model & { condition?: string })[] } | undefined => {
  // The rules of the field see to it that the fields of one are complete where there are not several.
  if (!form.conditional) return translateOne(form as Form)
  const entries = form.conditional.flatMap(({ condition, policy }) => {
    const model = translateOne(policy)
    return model ? [{ ...(condition === undefined ? {} : { condition }), ...model }] : []
  })
  return entries.length === form.conditional.length ? { conditional: entries } : undefined
}
