import { listField } from './object-fields.ts'
import { enumField } from './scalar-fields.ts'
import { tinyStringField } from './value-fields.ts'

/** Groups for the exchange of keys in TLS. */
export const keyExchangeGroupsField = listField(
  'Groups for the exchange of keys, by preference.',
  enumField('Group.', ['P-256', 'P-384', 'X25519', 'X25519_MLKEM768']),
  { minItems: 1, maxItems: 4 },
)

/** Protocols that are offered by ALPN. */
export const alpnProtocolsField = listField(
  'Protocols that are offered by ALPN.',
  tinyStringField('Protocol.'),
  { minItems: 1, maxItems: 16 },
)
