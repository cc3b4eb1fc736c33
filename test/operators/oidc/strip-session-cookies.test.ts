import assert from 'node:assert/strict'
import { test } from 'node:test'
import { stripLoginCookies } from '../../../src/operators/oidc/strip-session-cookies.ts'
import { exchange, operatorLaws, run } from '../../../src/testing/index.ts'

test('stripSessionCookies', async (t) => {
  await t.test('obeys the laws of operators', () =>
    operatorLaws(stripLoginCookies(), { exchange: { headers: { cookie: 'agw_oidc_s_0=x' } } }),
  )

  const cases: readonly (readonly [cookie: string | readonly string[], left: readonly string[]])[] = [
    ['a=1; b="x y"', ['a=1; b="x y"']],
    ['a=1; agw_oidc_s_0=x; b=2', ['a=1; b=2']],
    ['agw_oidc_s_0=x', []],
    [['agw_oidc_t_0.1=x;agw_oidc_t_0.2=y', 'a=1'], ['a=1']],
    ['a=agw_oidc_s_0; AGW_OIDC_s=1', ['a=agw_oidc_s_0; AGW_OIDC_s=1']],
    [' agw_oidc_ =x ; agw_oidc_; a', ['a']],
  ]
  for (const [cookie, left] of cases) {
    await t.test(`leaves ${JSON.stringify(left)} of ${JSON.stringify(cookie)}`, () => {
      const { request } = run(stripLoginCookies(), exchange({ headers: { cookie } }))
      assert.deepEqual(request.headers.all('cookie'), left)
    })
  }
})
