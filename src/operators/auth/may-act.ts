import { payloadOf } from './jwt-payload.ts'

/**
 * Whether the subject's `may_act` claim (RFC 8693 §4.4) names the actor: every claim in it has to be the same in the
 * actor's token, and it has to have some. Signatures are for the authorization server to verify, which gets both.
 */
export const mayAct = (subjectToken: string, actorToken: string): boolean => {
  const allowed = payloadOf(subjectToken)?.may_act
  const actor = payloadOf(actorToken)
  if (typeof allowed !== 'object' || allowed === null || !actor) return false
  const claims = Object.entries(allowed)
  return (
    claims.length > 0 && claims.every(([name, value]) => Object.hasOwn(actor, name) && actor[name] === value)
  )
}
