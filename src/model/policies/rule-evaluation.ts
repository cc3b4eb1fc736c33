/** What a rule says when it holds: may pass, may not pass, or must hold for anybody to pass. */
export type RuleMode = 'allow' | 'deny' | 'require'

/** One rule about a subject, such as an exchange or a connection. */
export interface Rule<S> {
  readonly mode: RuleMode
  /** Its place in the list as it was written, from 0. */
  readonly index: number
  /** As it was written. */
  readonly text: string
  /** Whether it is about the subject at all; where it is not, it is as if it were not there. About every one if absent. */
  readonly concerns?: ((subject: S) => boolean) | undefined
  /** Whether it holds; undefined if that cannot be told. It never throws. */
  readonly test: (subject: S) => boolean | undefined
}

/** What rules say of a subject, and which of them settled it: none, if it is what happens where no rule says otherwise. */
export interface Ruling<S> {
  readonly allowed: boolean
  readonly by: Rule<S> | undefined
}

/** Told about each rule that was asked. */
export type RuleWitness<S> = (rule: Rule<S>, holds: boolean | undefined) => void

/**
 * Makes rules ready to be asked: deny rules first, then require rules, then allow rules until one holds. Where there are
 * allow rules one of them must hold; without any, what nobody refused passes.
 *
 * What cannot be told counts against the subject: an allow rule does not allow then, a deny rule denies and a require
 * rule refuses. Rules that are not about the subject do not count, not even as allow rules that are there. Asking allocates
 * nothing.
 *
 * @example
 * const ruling = rulesAbout([{ mode: 'deny', index: 0, text: 'isLate', test: isLate }])
 * ruling(guest).allowed
 */
export const rulesAbout = <S>(
  rules: readonly Rule<S>[],
): ((subject: S, witness?: RuleWitness<S>) => Ruling<S>) => {
  const of = (mode: RuleMode, allowed: boolean): readonly Settled<S>[] =>
    rules.filter((rule) => rule.mode === mode).map((rule) => ({ rule, ruling: { allowed, by: rule } }))
  const denies = of('deny', false)
  const requires = of('require', false)
  const allows = of('allow', true)
  const passes: Ruling<S> = { allowed: true, by: undefined }
  const fails: Ruling<S> = { allowed: false, by: undefined }
  return (subject, witness) => {
    for (const { rule, ruling } of denies)
      if (isAbout(rule, subject) && evaluate(rule, subject, witness) !== false) return ruling
    for (const { rule, ruling } of requires)
      if (isAbout(rule, subject) && evaluate(rule, subject, witness) !== true) return ruling
    let otherwise = passes
    for (const { rule, ruling } of allows) {
      if (!isAbout(rule, subject)) continue
      if (evaluate(rule, subject, witness) === true) return ruling
      otherwise = fails
    }
    return otherwise
  }
}

/** A rule with the ruling it brings about. */
interface Settled<S> {
  readonly rule: Rule<S>
  readonly ruling: Ruling<S>
}

const isAbout = <S>({ concerns }: Rule<S>, subject: S): boolean => concerns === undefined || concerns(subject)

const evaluate = <S>(rule: Rule<S>, subject: S, witness: RuleWitness<S> | undefined): boolean | undefined => {
  const result = rule.test(subject)
  witness?.(rule, result)
  return result
}
