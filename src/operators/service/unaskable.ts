import { Fault } from '../../model/fault.ts'

/**
 * A service cannot be asked about a request because of what that request is, or lacks. No `failOpen` lets it pass: who
 * could bring that about could leave any check out.
 */
export class Unaskable extends Fault {
  constructor(why: string, cause: unknown) {
    super('question_unaskable', why, { status: 500, cause })
  }
}
