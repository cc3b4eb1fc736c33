import { either, exactlyOne, formatted, listOf, record, ref } from './kinds.ts'
import type { Properties, Schema } from './kinds.ts'

const condition = (description: string): Schema => formatted('celRule', description)

const rule = either(
  'One rule. A text by itself is an allow rule.',
  condition('Who may pass.'),
  record(
    'A rule of another kind.',
    {
      allow: condition('Who may pass. Where there are such rules, one of them must hold.'),
      deny: condition('Who may not pass, whatever other rules say.'),
      require: condition('What must hold for anybody to pass.'),
    },
    exactlyOne('allow', 'deny', 'require'),
  ),
)

const authorization = record(
  'Answers 403 `authorization failed` where its rules say so. A rule that cannot be evaluated counts against the caller. Rules of several levels add up.',
  { rules: listOf(ref('AuthorizationRule'), 'The rules. Without any, everything passes.') },
  { required: ['rules'] },
)

/** Definitions about who may pass. */
export const authorizationDefinitions: Properties = { AuthorizationRule: rule, Authorization: authorization }
