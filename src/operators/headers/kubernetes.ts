import type * as File from '../../config/schema/file-types.gen.ts'
import type { FormOf } from '../../controller/schema/field.ts'
import { objectField } from '../../controller/schema/object-fields.ts'
import { headerFilterField, type HeaderFilterForm } from '../../controller/schema/policy-fields.ts'
import { atLeastOneOf } from '../../controller/schema/validation-rule.ts'

/** `headerModifiers` of the traffic of a ProxyPolicy. */
export const headerModifiersField = objectField(
  'Changes headers.',
  {
    request: headerFilterField('Headers of requests.'),
    response: headerFilterField('Headers of responses.'),
  },
  { rules: [atLeastOneOf('request', 'response')] },
)

/** `requestHeaderModifier` and `responseHeaderModifier` of a file. */
export const headerModifiersOf = ({
  request,
  response,
}: FormOf<typeof headerModifiersField>): Pick<
  File.AttachedPolicy,
  'requestHeaderModifier' | 'responseHeaderModifier'
> => ({
  ...(request === undefined ? {} : { requestHeaderModifier: headerModifierOf(request) }),
  ...(response === undefined ? {} : { responseHeaderModifier: headerModifierOf(response) }),
})

const headerModifierOf = ({ add, set, remove }: HeaderFilterForm): File.HeaderModifier => ({
  ...(add?.length ? { add: valuesByName(add) } : {}),
  ...(set?.length ? { set: valuesByName(set) } : {}),
  ...(remove?.length ? { remove: [...remove] } : {}),
})

const valuesByName = (
  headers: readonly { readonly name: string; readonly value: string }[],
): Record<string, string> => Object.fromEntries(headers.map(({ name, value }) => [name, value]))
