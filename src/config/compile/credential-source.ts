import type { CredentialLocation } from '../../model/credential-location.ts'
import type { CredentialSource } from '../../operators/auth/credential-location.ts'
import type { Workshop } from './workshop.ts'

/** Makes a place to look for credentials ready to look. */
export const credentialSource = (
  location: CredentialLocation,
  { expression }: Pick<Workshop, 'expression'>,
): CredentialSource =>
  location.kind === 'expression'
    ? { kind: 'expression', expression: expression(location.expression) }
    : location
