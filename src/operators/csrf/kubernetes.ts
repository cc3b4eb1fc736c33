import { listField, objectField } from '../../controller/schema/object-fields.ts'
import { policyForm, refuseRequests } from '../../controller/schema/policy-form.ts'
import { shortStringField } from '../../controller/schema/value-fields.ts'

/** `traffic.csrf` of a ProxyPolicy. */
export const csrfForm = policyForm({
  field: objectField('Refuses cross-site requests with unsafe methods (CSRF protection).', {
    additionalOrigins: listField(
      "Origins that may send such requests, in addition to the gateway's own.",
      shortStringField('Origin.'),
      { minItems: 1, maxItems: 16 },
    ),
  }),
  translate: ({ additionalOrigins }) => ({
    csrf: additionalOrigins ? { additionalOrigins: [...additionalOrigins] } : {},
  }),
  whenBroken: refuseRequests,
})
