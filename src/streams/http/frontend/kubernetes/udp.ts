import { objectField } from '../../../../controller/schema/object-fields.ts'
import { policyForm } from '../../../../controller/schema/policy-form.ts'
import { integerField } from '../../../../controller/schema/scalar-fields.ts'
import { atLeastOneOf } from '../../../../controller/schema/validation-rule.ts'
import { durationTextField } from '../../../../controller/schema/value-fields.ts'

/** `frontend.udp` of a ProxyPolicy. */
export const frontendUdpForm = policyForm({
  field: objectField(
    'Sessions of listeners with protocol UDP.',
    {
      idleTimeout: durationTextField(
        'Time without a datagram, in either direction, after which a session ends. By default `60s`.',
        { minimum: '1s' },
      ),
      maxSessions: integerField(
        'Largest number of sessions of a port of each proxy. Datagrams of further clients are dropped. By default 10000.',
        { minimum: 1, maximum: 1_000_000 },
      ),
    },
    { rules: [atLeastOneOf('idleTimeout', 'maxSessions')] },
  ),
  translate: (udp) => ({ frontend: { udp } }),
})
