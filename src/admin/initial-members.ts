/**
 * The members that a set has now, as far as they are still there when they are reached. Those that are added meanwhile
 * are left out: under load, an iteration that pauses would not come to an end.
 */
export function* initialMembers<Member>(set: ReadonlySet<Member>): Generator<Member, void, undefined> {
  let left = set.size
  for (const member of set) {
    if (left-- <= 0) return
    yield member
  }
}
