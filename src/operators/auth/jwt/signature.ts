import { compactVerify } from 'jose'
import type { VerificationKey } from '../../../protocols/jwk/verification-key.ts'
import type { SignedText } from '../../../protocols/jwt/signed-text.ts'

/** Whether a text is signed with a key, by the algorithm that it names. Whatever goes wrong means that it is not. */
export const isSignedWith = async (
  { key }: VerificationKey,
  { text, algorithm }: Pick<SignedText, 'text' | 'algorithm'>,
): Promise<boolean> => {
  try {
    await compactVerify(text, key, { algorithms: [algorithm] })
    return true
  } catch {
    return false
  }
}
