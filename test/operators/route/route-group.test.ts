import assert from 'node:assert/strict'
import { test } from 'node:test'
import { routeGroup, routeGroupLimit } from '../../../src/operators/route/route-group.ts'
import { exchange, fakeUpstream, operatorLaws, run } from '../../../src/testing/index.ts'

test('route-group', async (t) => {
  await t.test('obeys the laws of operators', () => operatorLaws(routeGroup('g', 0, fakeUpstream(204))))

  await t.test('the limit obeys them too', () => operatorLaws(routeGroupLimit('too deep')))

  await t.test('an exchange within the group gets 500', () => {
    const x = exchange()
    x.routeGroups = ['outer', 'g', 'inner']
    run(routeGroup('g', 3, fakeUpstream(204)), x)
    assert.deepEqual([x.reply?.status, x.reply?.code], [500, 'route_cycle'])
  })

  await t.test(
    'another attempt is within the groups around it, not within those of the attempt before',
    () => {
      const x = exchange()
      const attempt = routeGroup('outer', 0, routeGroup('g', 1, fakeUpstream(204)))
      run(attempt, x)
      assert.deepEqual(x.routeGroups, ['outer', 'g'])
      x.reply = undefined
      const again = run(attempt, x)
      assert.deepEqual([again.reply?.status, again.routeGroups], [204, ['outer', 'g']])
    },
  )
})
