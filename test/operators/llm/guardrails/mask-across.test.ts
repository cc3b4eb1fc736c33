import assert from 'node:assert/strict'
import { test } from 'node:test'
import { maskAcross } from '../../../../src/operators/llm/guardrails/mask-across.ts'

test('a mask is split over the parts that it covers', () => {
  const cases: readonly (readonly [string[], string, string[]])[] = [
    [['a', 'b'], 'ab', ['a', 'b']],
    [['to a@', 'b.com', ' or c@d.org'], 'to <E> or <E>', ['to <E>', '<E>', ' or <E>']],
    [['123-45-', '6789'], '<SSN>', ['<SSN>', '<SSN>']],
    [['call 555-', '12', '34 now'], 'call <P> now', ['call <P>', '<P>', ' now']],
    [['mail a@b.com at 123-', '45-6789.'], 'mail <E> at <SSN>.', ['mail <E> at <SSN>', '.']],
    [['one', 'two'], '', ['', '']],
    [['', 'x@', '', 'y.net'], '<E>', ['', '<E>', '', '<E>']],
    [['keep', 'this', 'and this'], 'keepthisand this!', ['keep', 'this', 'and this!']],
  ]
  for (const [parts, masked, expected] of cases) assert.deepEqual(maskAcross(parts, masked), expected)
})

test('unmasked text is unchanged, wherever parts end', () => {
  const text = 'Write to ann@example.com, or call 123-45-6789 and say "öß😀" twice.'
  const masked = 'Write to <EMAIL>, or call <SSN> and say "öß😀" twice.'
  for (let one = 0; one <= text.length; one++)
    for (let two = one; two <= text.length; two += 3) {
      const parts = [text.slice(0, one), text.slice(one, two), text.slice(two)]
      const made = maskAcross(parts, masked).join('')
      assert.doesNotMatch(made, /ann@|example|123|6789/)
      assert.match(
        made.replaceAll(/(<EMAIL>)+|(<SSN>)+/g, '$1$2'),
        /^Write to <EMAIL>, or call <SSN> and say "öß/u,
      )
      assert.match(made, / twice\.$/)
    }
})
