import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Rule, type RuleMode, rulesAbout } from '../../../src/model/policies/rule-evaluation.ts'

type Answer = boolean | undefined
const rule = (mode: RuleMode, answer: Answer, index = 0): Rule<unknown> => ({
  mode,
  index,
  text: `${mode} ${answer}`,
  test: () => answer,
})
const rules = (...list: readonly (readonly [RuleMode, Answer])[]) =>
  rulesAbout(list.map(([mode, answer], i) => rule(mode, answer, i)))

test('authorization rules', async (t) => {
  await t.test('allow everything if there are none', () => {
    assert.deepEqual(rules()(undefined), { allowed: true, by: undefined })
  })

  for (const [mode, answer, allowed] of [
    ['allow', true, true],
    ['allow', false, false],
    ['allow', undefined, false],
    ['deny', true, false],
    ['deny', false, true],
    ['deny', undefined, false],
    ['require', true, true],
    ['require', false, false],
    ['require', undefined, false],
  ] as const)
    await t.test(`${allowed ? 'allow' : 'refuse'} with one ${mode} rule that is ${answer}`, () => {
      assert.equal(rules([mode, answer])(undefined).allowed, allowed)
    })

  await t.test('agree with their definition for every combination of up to four rules', () => {
    const kinds = (['allow', 'deny', 'require'] as const).flatMap((mode) =>
      [true, false, undefined].map((answer) => [mode, answer] as const),
    )
    const combinations = (length: number): (readonly (readonly [RuleMode, Answer])[])[] =>
      length === 0 ? [[]] : combinations(length - 1).flatMap((some) => kinds.map((one) => [...some, one]))
    let checked = 0
    for (const list of [0, 1, 2, 3, 4].flatMap(combinations)) {
      const all = (mode: RuleMode) => list.filter(([one]) => one === mode).map(([, answer]) => answer)
      const expected =
        all('deny').every((answer) => answer === false) &&
        all('require').every((answer) => answer === true) &&
        (all('allow').length === 0 || all('allow').includes(true))
      assert.equal(rules(...list)(undefined).allowed, expected, JSON.stringify(list))
      checked++
    }
    assert.equal(checked, 1 + 9 + 81 + 729 + 6561)
  })

  await t.test('report the deciding rule by its index', () => {
    const decided = (...list: readonly (readonly [RuleMode, Answer])[]) => rules(...list)(undefined).by?.index
    assert.equal(decided(['allow', true], ['require', true], ['deny', true]), 2)
    assert.equal(decided(['allow', true], ['require', false], ['deny', false]), 1)
    assert.equal(decided(['allow', false], ['allow', true], ['allow', true]), 1)
    assert.equal(decided(['allow', false], ['require', true]), undefined)
    assert.equal(decided(['require', true]), undefined)
  })

  await t.test('evaluate no more rules than necessary, and report each', () => {
    const heard: string[] = []
    const witness = ({ text }: Rule<unknown>, holds: Answer) => heard.push(`${text}: ${holds}`)
    rules(['allow', true], ['allow', true], ['deny', false], ['require', true])(undefined, witness)
    assert.deepEqual(heard, ['deny false: false', 'require true: true', 'allow true: true'])
  })
})
