import type * as File from '../../config/schema/file-types.gen.ts'
import { objectField } from '../../controller/schema/object-fields.ts'
import {
  headerFilterField,
  type HeaderFilterForm,
  headerValuesByName,
} from '../../controller/schema/policy-fields.ts'
import { policyForm, refuseRequests } from '../../controller/schema/policy-form.ts'
import { atLeastOneOf } from '../../controller/schema/validation-rule.ts'

/** `traffic.headerModifiers` of a ProxyPolicy. Backends may trust the headers that it sets or removes. */
export const headerModifiersForm = policyForm({
  field: objectField(
    'Changes headers.',
    {
      request: headerFilterField('Headers of requests.'),
      response: headerFilterField('Headers of responses.'),
    },
    { rules: [atLeastOneOf('request', 'response')] },
  ),
  translate: ({ request, response }) => ({
    ...(request === undefined ? {} : { requestHeaderModifier: headerModifierOf(request) }),
    ...(response === undefined ? {} : { responseHeaderModifier: headerModifierOf(response) }),
  }),
  whenBroken: refuseRequests,
})

const headerModifierOf = ({ add, set, remove }: HeaderFilterForm): File.HeaderModifier => ({
  ...(add?.length ? { add: headerValuesByName(add) } : {}),
  ...(set?.length ? { set: headerValuesByName(set) } : {}),
  ...(remove?.length ? { remove: [...remove] } : {}),
})
